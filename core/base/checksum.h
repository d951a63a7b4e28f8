// XXH3 (64 bits) of bytes that come piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace verbcast {

class Checksum {
  public:
    Checksum();
    ~Checksum();
    Checksum(const Checksum& other);
    Checksum& operator=(const Checksum& other);

    void add(std::span<const std::byte> bytes) noexcept;
    /// Of all bytes so far; more may follow.
    std::uint64_t value() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Of bytes that are all there.
std::uint64_t checksumOf(std::span<const std::byte> bytes) noexcept;

}  // namespace verbcast
