// XXH3 (64 bits) of data that arrives in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct XXH3_state_s;  // of <xxhash.h>

namespace verbcast {

class Checksum {
  public:
    Checksum();
    Checksum(const Checksum& other);
    Checksum& operator=(const Checksum& other);

    void add(std::span<const std::byte> bytes) noexcept;
    /// Hash of all bytes so far; more may follow.
    std::uint64_t value() const noexcept;

  private:
    struct Free {
        void operator()(XXH3_state_s* state) const;
    };
    std::unique_ptr<XXH3_state_s, Free> state_;
};

/// Hash of bytes that are all in one place.
std::uint64_t checksumOf(std::span<const std::byte> bytes) noexcept;

}  // namespace verbcast
