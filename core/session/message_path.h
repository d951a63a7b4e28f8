// Frames as messages: for tracks of few bytes that must never wait behind those of pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/ring_queue.h"
#include "core/base/wire.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// A path beside a connection's own, over its message channel: in order with its messages, reliable, and
/// protected as they are, whatever the transport. Each end copies the bytes once. A frame takes as many
/// messages as it needs, and leaves half of the channel's room to those that cannot wait. It is poll() that
/// tells of frames which have left; take() tells of those that arrive.
class MessagePath final : public TransportPath {
  public:
    /// `messages` must outlive this.
    explicit MessagePath(MessageChannel& messages) : messages_(messages) {}

    void setHandler(FrameHandler* handler) override { handler_ = handler; }
    Progress poll() override;
    /// Sink: the peer's FramePart. Throws Error{Peer} for one that does not continue what came before, and
    /// what the handler throws.
    void take(ByteReader& reader);

    std::optional<Import> reaches(const Memory& memory) const override;
    void prepare(const std::shared_ptr<FramePool>& /*pool*/) override {}
    void offer(RingId ring, std::shared_ptr<FramePool> pool) override;
    void retire(RingId ring) override { std::erase(offered_, ring); }
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte> offer) override;
    void forget(RingId ring) override { std::erase(accepted_, ring); }
    /// Busy while the frame before has not left yet.
    Status send(const OutgoingFrame& frame) override;

    std::uint64_t payloadBytesMoved() const override { return moved_; }
    std::uint64_t payloadBytesCopied() const override { return moved_; }

  private:
    struct Leaving {
        OutgoingFrame frame;
        std::uint64_t offset = 0;
    };
    struct Arriving {
        RingId ring = 0;
        std::uint32_t slot = 0;
        FrameInfo info;
        FrameTarget target;
        std::uint64_t offset = 0;
    };
    bool sendParts();
    Arriving begin(RingId ring, std::uint32_t slot, std::span<const std::byte> head);

    MessageChannel& messages_;
    FrameHandler* handler_ = nullptr;
    std::uint64_t moved_ = 0;
    // Source:
    std::vector<RingId> accepted_;
    std::optional<RingId> newestAccepted_;
    std::optional<Leaving> leaving_;
    RingQueue<std::uint32_t> left_;  // local slots, of which the handler has not been told
    // Sink:
    std::vector<RingId> offered_;
    std::optional<RingId> newestOffered_;
    std::optional<Arriving> arriving_;
};

}  // namespace verbcast
