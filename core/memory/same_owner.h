// Whether two pointers share one object, which may be gone.
#pragma once

namespace verbcast {

/// Of shared and weak pointers: no lock, and no mistake where a later object has the address of one that is
/// gone.
template <typename One, typename Other>
bool sameOwner(const One& one, const Other& other) {
    return !one.owner_before(other) && !other.owner_before(one);
}

}  // namespace verbcast
