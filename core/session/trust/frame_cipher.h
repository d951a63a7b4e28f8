// A frame's bytes under AES-256-GCM (NIST SP 800-38D): what a sealed frame looks like, and how it is made and
// read. Knows no paths and no slots' owners.
//
// A sealed frame, within its slot:
//   payload   the bytes that travel, encrypted, in chunks of kCipherChunkBytes
//   tags      16 bytes for each chunk
//   head      the FrameInfo, ring, slot and blocks, encrypted
//   tag       of the head, which covers the tail, too
//   tail      the frame's number and the number of blocks, in the clear
// Nonces are the frame's number and the chunk's; numbers rise and no two frames of a direction have the same.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "core/session/trust/trust.h"
#include "core/transport/frame_path.h"

struct evp_cipher_ctx_st;

namespace verbcast {

/// Large enough that the price of a call is lost in it, small enough for the processor's second-level cache.
inline constexpr std::size_t kCipherChunkBytes = 512U << 10;

/// The largest that a frame of so many bytes can become.
std::uint64_t sealedBytes(std::uint64_t payloadBytes);

/// The key of a context, the same at both ends of a session: TlsChannel::exportKey().
using FrameKeys = std::function<std::array<std::byte, 32>(std::span<const std::byte> context)>;

/// One direction of one session. Thread-bound.
class FrameCipher {
  public:
    /// `sealer`: the side that seals in this direction.
    FrameCipher(FrameKeys keys, Side sealer);
    ~FrameCipher();
    FrameCipher(const FrameCipher&) = delete;
    FrameCipher& operator=(const FrameCipher&) = delete;

    /// Writes the frame, which lies at `plain`, sealed to `into` (of sealedBytes() of its slot), under the
    /// next number. Gives the bytes that it has become. Throws Error{Internal} when OpenSSL fails.
    std::uint64_t seal(const OutgoingFrame& frame, const std::byte* plain, std::byte* into);

    /// Reads what seal() made: `sealed` may be memory that the peer changes meanwhile, so it is read once.
    /// Writes the bytes that travelled to their places of `into`. Throws Error{Peer} for anything that was
    /// changed, came in another slot or for the second time; then `into` holds nothing of use.
    FrameInfo open(std::span<const std::byte> sealed, RingId ring, std::uint32_t slot,
                   std::span<std::byte> into);

    /// Payload that was sealed and opened so far: what travels of it.
    std::uint64_t payloadBytes() const { return payloadBytes_; }

  private:
    struct FreeContext {
        void operator()(evp_cipher_ctx_st* context) const noexcept;
    };
    void useKeyFor(std::uint64_t number, bool seals);
    void startChunk(std::uint64_t number, std::uint32_t chunk, bool seals);

    const FrameKeys keys_;
    const Side sealer_;
    std::unique_ptr<evp_cipher_ctx_st, FreeContext> context_;
    std::optional<std::uint64_t> keyNumber_;  // of the key in context_
    std::uint64_t payloadBytes_ = 0;
    std::uint64_t next_ = 0;  // number: of the next to seal; the least that may come
};

}  // namespace verbcast
