#include "core/base/checksum.h"

#include <xxhash.h>

#include <new>

namespace verbcast {

Checksum::Checksum() : state_(XXH3_createState()) {
    if (!state_) {
        throw std::bad_alloc();
    }
    XXH3_64bits_reset(state_.get());
}
Checksum::Checksum(const Checksum& other) : Checksum() {
    *this = other;
}
Checksum& Checksum::operator=(const Checksum& other) {
    XXH3_copyState(state_.get(), other.state_.get());
    return *this;
}

void Checksum::Free::operator()(XXH3_state_s* state) const {
    XXH3_freeState(state);
}

void Checksum::add(std::span<const std::byte> bytes) noexcept {
    XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const noexcept {
    return XXH3_64bits_digest(state_.get());
}

std::uint64_t checksumOf(std::span<const std::byte> bytes) noexcept {
    return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace verbcast
