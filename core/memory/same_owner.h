// Whether two pointers share one object, which may be gone.
#pragma once

namespace verbcast {

/// For shared and weak pointers. Takes no lock, and does not mistake a new object for one that had the same
/// address.
template <typename One, typename Other>
bool sameOwner(const One& one, const Other& other) {
    return !one.owner_before(other) && !other.owner_before(one);
}

}  // namespace verbcast
