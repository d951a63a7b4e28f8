// XXH3 (64 bits) of data that arrives in pieces.
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
    /// Hash of all bytes so far; more may follow.
    std::uint64_t value() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Hash of bytes that are all in one place.
std::uint64_t checksumOf(std::span<const std::byte> bytes) noexcept;

}  // namespace verbcast
