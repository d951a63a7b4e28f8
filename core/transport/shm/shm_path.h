// Frames between two processes of one machine: the source's rings are passed as sealed memory, and a frame is
// a record that names one of their slots. No pixel is copied.
#pragma once

#include <memory>
#include <optional>

#include "core/transport/frame_path.h"

namespace verbcast::shm {

class ShmChannel;

/// Offers are empty: the memory itself goes through the channel's socket. Belongs to the channel, and is
/// served by its process().
class ShmPath final : public FramePath {
  public:
    explicit ShmPath(ShmChannel& channel) : channel_(channel) {}

    void setHandler(FrameHandler* handler) override { handler_ = handler; }
    bool sharesMemory() const override { return true; }
    Import import(const std::shared_ptr<const Memory>& memory) override;
    void setSource(std::shared_ptr<FramePool> pool) override { source_ = std::move(pool); }
    void offer(RingId ring, std::shared_ptr<FramePool> pool) override;
    void retire(RingId ring) override;
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte> offer) override;
    Status send(const OutgoingFrame& frame) override;
    std::uint64_t payloadBytesMoved() const override { return payloadBytes_; }

    /// A frame's record has come; the bytes follow its kind. Throws Error{Peer} for what cannot be.
    void handleRecord(std::span<const std::byte> body);

  private:
    ShmChannel& channel_;
    FrameHandler* handler_ = nullptr;
    std::shared_ptr<FramePool> source_;  // shared: the source keeps capturing into it
    std::shared_ptr<FramePool> ring_;    // the newest that was offered, until it is retired
    std::optional<RingId> offered_;      // its id
    std::optional<RingId> accepted_;     // the peer's newest
    std::uint64_t payloadBytes_ = 0;
};

}  // namespace verbcast::shm
