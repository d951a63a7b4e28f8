// The tags of a group's datagrams, and their payload's encryption: AES-256-GCM (NIST SP 800-38D) with a key
// that all who take part were told in their sessions.
//
// A tag shows that somebody with the key made the datagram; all who take part have it. The nonce is the
// datagram's counter, which no two of a stream have in common; keys are drawn at random.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

struct evp_cipher_ctx_st;

namespace verbcast {

using DatagramKey = std::array<std::byte, 32>;

/// Throws Error{Internal} when the system has no randomness.
DatagramKey randomDatagramKey();

/// Thread-bound.
class DatagramSeal {
  public:
    enum class Use { Seal, Open };
    /// `encrypts`: payloads are encrypted, too; else they travel in the clear. Throws Error{Internal} when
    /// OpenSSL fails.
    DatagramSeal(const DatagramKey& key, bool encrypts, Use use);
    ~DatagramSeal();
    DatagramSeal(const DatagramSeal&) = delete;
    DatagramSeal& operator=(const DatagramSeal&) = delete;

    bool encrypts() const { return encrypts_; }
    /// Writes the tag and, where it encrypts, the payload to `into`, which has its size (elsewhere unused).
    void seal(std::uint64_t counter, std::span<const std::byte> head, std::span<const std::byte> payload,
              std::byte* into, std::byte* tag);
    /// Whether the tag fits. Where it encrypts, the payload is at `into` then, as far as it is true;
    /// elsewhere `into` is unused.
    bool open(std::uint64_t counter, std::span<const std::byte> head, std::span<const std::byte> payload,
              std::span<const std::byte> tag, std::byte* into);

  private:
    struct FreeContext {
        void operator()(evp_cipher_ctx_st* context) const noexcept;
    };
    void start(std::uint64_t counter, std::span<const std::byte> head);

    const bool encrypts_;
    std::unique_ptr<evp_cipher_ctx_st, FreeContext> context_;
};

}  // namespace verbcast
