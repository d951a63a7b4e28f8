// A frame path that encrypts payloads and everything said about them: a stage between a track and any
// transport's path.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/ring_queue.h"
#include "core/session/trust/frame_cipher.h"
#include "core/transport/stages.h"

namespace verbcast {

/// The inner path carries sealed frames (frame_cipher.h) in rings of this path's own. The source seals into a
/// few slots (with shared memory: into a ring as large as its own). The sink opens into the ring that it
/// offered or, with shared memory, into one that it makes: the peer may change a sealed slot at any time, but
/// not an opened one.
///
/// Costs one pass over the payload at each end, and as much memory again at the sink.
class SealedPath final : public PathStage {
  public:
    /// `own`: this side of the connection.
    SealedPath(std::shared_ptr<FramePath> inside, const FrameKeys& keys, Side own);

    // Sealed frames lie in main memory, whatever device the other end uses.
    void peerUsesDevice(const std::string& /*sharingId*/) override {}
    void useDevice(const std::shared_ptr<const DeviceAllocator>& /*device*/) override {}
    std::optional<Import> reaches(const Memory& memory) const override;
    Import import(const std::shared_ptr<const Memory>& memory) override { return reaches(*memory).value(); }
    void prepare(const std::shared_ptr<FramePool>& pool) override;
    void offer(RingId ring, std::shared_ptr<FramePool> pool) override;
    void retire(RingId ring) override;
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte> offer) override;
    void forget(RingId ring) override;
    std::uint64_t ownRingBytes(const RingShape& shape) const override;
    Status send(const OutgoingFrame& frame) override;
    std::uint64_t payloadBytesCopied() const override {
        return PathStage::payloadBytesCopied() + work_.bytes;
    }
    CipherWork cipherWork() const override { return work_; }

  private:
    /// A ring of clear frames and its twin of sealed ones: slots of the same number belong together.
    struct Ring {
        RingId id = 0;
        std::weak_ptr<FramePool> clear;  // its users decide how long it lives
        std::shared_ptr<FramePool> sealed;
    };
    struct Leaving {
        FrameLease sealed;
        std::uint32_t localSlot = 0;
    };
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrameSent(std::uint32_t localSlot) override;
    Ring* find(RingId ring);
    Status sendSealed(const OutgoingFrame& frame, const std::shared_ptr<FramePool>& pool, std::uint32_t slot);

    FrameCipher sealer_;
    FrameCipher opener_;
    CipherWork work_;
    std::vector<Ring> rings_;
    std::shared_ptr<FramePool> outgoing_;  // without shared memory: sealed frames
    RingQueue<Leaving> leaving_;           // in sending order
};

}  // namespace verbcast
