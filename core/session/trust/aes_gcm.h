// AES-256-GCM (NIST SP 800-38D), message by message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct evp_cipher_ctx_st;

namespace verbcast {

/// Encrypts or decrypts. Thread-bound. All functions throw Error{Internal} if OpenSSL fails.
class AesGcm {
  public:
    enum class Use { Seal, Open };
    static constexpr std::size_t kTagBytes = 16;

    AesGcm();

    void setKey(const std::array<std::byte, 32>& key, Use use);
    /// Begins a message. No two with one key may have the same `number` and `part`, which make its nonce.
    void begin(std::uint64_t number, std::uint32_t part);
    /// Bytes that the tag covers, but that travel in the clear.
    void cover(std::span<const std::byte> clear) { pass(clear, nullptr); }
    /// The message's next bytes.
    void pass(std::span<const std::byte> from, std::byte* into);
    /// Seal: ends the message and writes its tag.
    void finish(std::byte* tag);
    /// Open: ends the message. Returns whether that is its tag; else what pass() has written is garbage.
    bool matches(const std::byte* tag);

  private:
    struct FreeContext {
        void operator()(evp_cipher_ctx_st* context) const noexcept;
    };
    std::unique_ptr<evp_cipher_ctx_st, FreeContext> context_;
};

}  // namespace verbcast
