// Structs of the C interfaces that may grow. Their first field, `size`, is sizeof() as the caller's compiler
// saw it: a caller may be older or newer than the library, and its struct smaller or larger.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/base/error.h"
#include "core/base/version.h"

namespace verbcast {

/// Nothing beyond `size` bytes of a struct given by a caller may be touched, so only fields within minSize
/// are used directly.
struct SizedStruct {
    const char* name;
    std::size_t minSize;  ///< what every caller has
};
/// Specialised for each such struct.
template <typename T>
extern const SizedStruct kSizedStruct;

/// No struct will ever be larger: a larger size was never set.
inline constexpr std::size_t kMaxStruct = 64 << 10;

/// Returns false if nobody has set `given`'s size.
template <typename T>
bool hasSize(const T* given) noexcept {
    static_assert(offsetof(T, size) == 0 && kSizedStruct<T>.minSize <= sizeof(T) && sizeof(T) <= kMaxStruct);
    return given->size >= kSizedStruct<T>.minSize && given->size <= kMaxStruct;
}

/// The caller's size of `given`. Throws Error{Usage} if it cannot be one.
template <typename T>
std::size_t checkedSize(const T* given) {
    constexpr const SizedStruct& rules = kSizedStruct<T>;
    const std::size_t size = given->size;
    if (!hasSize(given)) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("{} begins with its size: {} bytes cannot be right, this libverbcast's has {}",
                        rules.name, size, sizeof(T)),
            fmt::format("initialise it: {0} it = VC_INIT({0});", rules.name));
    }
    return size;
}

/// Returns a copy of what the caller gives; what an older caller's struct lacks comes from `defaults`. Throws
/// Error{Usage} if a newer caller has set something that this library does not know.
template <typename T>
T readSized(const T* given, T defaults = {}) {
    const std::size_t size = checkedSize(given);
    const auto* bytes = reinterpret_cast<const std::byte*>(given);
    if (size > sizeof(T) &&
        std::any_of(bytes + sizeof(T), bytes + size, [](std::byte byte) { return byte != std::byte{0}; })) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("{}: the program has set fields that this libverbcast ({}) does not know: its "
                        "struct has {} bytes, the library's {}",
                        kSizedStruct<T>.name, kVersion, size, sizeof(T)),
            "install a newer libverbcast, or leave those fields zero");
    }
    std::memcpy(&defaults, bytes, std::min(size, sizeof(T)));
    return defaults;
}

/// Copies `value` to what the caller has; fields that only a newer caller knows become zero. The caller's
/// size stays. Throws what checkedSize() throws.
template <typename T>
void fillSized(T* target, T value) {
    const std::size_t size = checkedSize(target);
    value.size = size;
    auto* bytes = reinterpret_cast<std::byte*>(target);
    std::memcpy(bytes, &value, std::min(size, sizeof(T)));
    if (size > sizeof(T)) {
        std::memset(bytes + sizeof(T), 0, size - sizeof(T));
    }
}

}  // namespace verbcast
