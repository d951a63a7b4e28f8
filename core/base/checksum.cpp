#include "core/base/checksum.h"

#include <xxhash.h>

#include <new>

namespace verbcast {

struct Checksum::State {
    State() : xxh3(XXH3_createState()) {
        if (xxh3 == nullptr) {
            throw std::bad_alloc();
        }
        XXH3_64bits_reset(xxh3);
    }
    ~State() { XXH3_freeState(xxh3); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    XXH3_state_t* xxh3;
};

Checksum::Checksum() : state_(std::make_unique<State>()) {}
Checksum::~Checksum() = default;
Checksum::Checksum(const Checksum& other) : Checksum() {
    *this = other;
}
Checksum& Checksum::operator=(const Checksum& other) {
    XXH3_copyState(state_->xxh3, other.state_->xxh3);
    return *this;
}

void Checksum::add(std::span<const std::byte> bytes) noexcept {
    XXH3_64bits_update(state_->xxh3, bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const noexcept {
    return XXH3_64bits_digest(state_->xxh3);
}

std::uint64_t checksumOf(std::span<const std::byte> bytes) noexcept {
    return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace verbcast
