// Encrypts frames with AES-256-GCM (NIST SP 800-38D): what a sealed frame looks like, and how it is made and
// read. Knows nothing of paths or of who owns slots.
//
// A sealed frame, within its slot:
//   payload   the bytes that travel, encrypted, in chunks of kCipherChunkBytes
//   tags      16 bytes for each chunk
//   head      the FrameInfo, ring, slot and blocks, encrypted
//   tag       of the head, which covers the tail, too
//   tail      the frame's number and the number of blocks, in the clear
// A nonce is the frame's number and the chunk's. Numbers rise, so no two frames of a direction share one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/session/trust/aes_gcm.h"
#include "core/session/trust/trust.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// Large enough to hide the cost of a call, small enough for the processor's second-level cache.
inline constexpr std::size_t kCipherChunkBytes = 512U << 10;

/// The largest size that a frame of this many bytes can have when sealed.
std::uint64_t sealedBytes(std::uint64_t payloadBytes);

/// Returns the key for a context, the same on both sides of a session: TlsChannel::exportKey().
using FrameKeys = std::function<std::array<std::byte, 32>(std::span<const std::byte> context)>;

/// Seals or opens one direction of one session. Thread-bound.
class FrameCipher {
  public:
    /// `sealer`: the side that seals in this direction.
    FrameCipher(FrameKeys keys, Side sealer);

    /// Seals the frame at `plain` into `into` (sealedBytes() of its slot) under the next number. Returns its
    /// sealed size. Throws Error{Internal} if OpenSSL fails.
    std::uint64_t seal(const OutgoingFrame& frame, const std::byte* plain, std::byte* into);

    /// Opens what seal() made. `sealed` may be memory that the peer changes meanwhile, so it is read only
    /// once. Writes the bytes that travelled to their places in `into`. Throws Error{Peer} if anything was
    /// changed, came in another slot or came twice; `into` is then garbage. `within`: see FrameTarget; also
    /// throws, and writes nothing, for bytes outside of it.
    FrameInfo open(std::span<const std::byte> sealed, RingId ring, std::uint32_t slot,
                   std::span<std::byte> into, std::span<const ByteBlock> within = {});

    /// Payload sealed and opened so far, counting only bytes that travel.
    std::uint64_t payloadBytes() const { return payloadBytes_; }

  private:
    void useKeyFor(std::uint64_t number, AesGcm::Use use);

    const FrameKeys keys_;
    const Side sealer_;
    AesGcm gcm_;
    std::optional<std::uint64_t> keyNumber_;  // of the key in gcm_
    std::uint64_t payloadBytes_ = 0;
    std::uint64_t next_ = 0;  // number of the next to seal, or the lowest that may come
};

}  // namespace verbcast
