// Tags a group's datagrams and encrypts their payloads: AES-256-GCM (NIST SP 800-38D) with a key that all who
// take part were told in their sessions.
//
// A tag shows that somebody with the key made the datagram; all who take part have it. The nonce is the
// datagram's counter, unique within a stream; keys are random.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/session/trust/aes_gcm.h"

namespace verbcast {

using DatagramKey = std::array<std::byte, 32>;

/// Throws Error{Internal} if the system has no randomness.
DatagramKey randomDatagramKey();

/// Thread-bound.
class DatagramSeal {
  public:
    using Use = AesGcm::Use;
    /// `encrypts`: payloads are encrypted, too; else they travel in the clear. Throws Error{Internal} if
    /// OpenSSL fails.
    DatagramSeal(const DatagramKey& key, bool encrypts, Use use);

    bool encrypts() const { return encrypts_; }
    /// Writes the tag and, if it encrypts, the payload to `into`, which must have its size (otherwise
    /// unused).
    void seal(std::uint64_t counter, std::span<const std::byte> head, std::span<const std::byte> payload,
              std::byte* into, std::byte* tag);
    /// Returns whether the tag matches. If it encrypts, the payload is then at `into`, which is garbage if
    /// the tag does not match; otherwise `into` is unused.
    bool open(std::uint64_t counter, std::span<const std::byte> head, std::span<const std::byte> payload,
              std::span<const std::byte> tag, std::byte* into);

  private:
    void start(std::uint64_t counter, std::span<const std::byte> head, std::span<const std::byte> payload,
               std::byte* into);

    const bool encrypts_;
    AesGcm gcm_;
};

}  // namespace verbcast
