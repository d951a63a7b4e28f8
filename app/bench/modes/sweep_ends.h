// The two ends of a sweep's connection: blocks of one size, a fixed number in flight, each acknowledged by a
// message of 8 bytes as soon as it has arrived. The parent sends, a worker acknowledges.
//
// A block is in flight from the moment its place in the window is free (for the first ones: from the start)
// until its acknowledgement is handled. This includes waiting for a transport that takes fewer at once, so
// throughput times latency is the depth.
//
// Each block carries its number in its first and last 8 bytes, and the receiver checks both: every byte
// counted has been transferred.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/bench/modes/channel_driver.h"
#include "core/base/os/clock.h"
#include "core/memory/frame_pool.h"
#include "core/stats/histogram.h"

namespace verbcast {

constexpr std::uint32_t kMaxSweepDepth = 64;

/// The reply to a block.
struct SweepAcknowledgement {
    std::uint32_t slot;
    std::uint32_t sequence;
};
static_assert(sizeof(SweepAcknowledgement) == 8);

/// The sending end: one connection for all depths of one block size. measure() sets a depth; step() is done
/// when its blocks are measured and all are acknowledged.
class SweepSource final : public ChannelEnd {
  public:
    SweepSource(const Connection& connection, std::uint64_t blockBytes, std::uint32_t slots);

    void measure(std::uint32_t depth, const RateWindow::Length& length);
    SweepPoint point() const;
    bool measuredAnything() const { return window_ && window_->perSecond() > 0; }

    bool step() override;
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override;
    void onFrameSent(std::uint32_t localSlot) override;
    void onMessage(std::span<const std::byte> message) override;

  private:
    std::uint32_t slotOf(std::uint64_t sequence) const;
    void offer(TimestampNs now) { offeredAt_[offered_++ % kMaxSweepDepth] = now; }
    bool slotIsFree() const;
    void send();

    std::uint64_t blockBytes_;
    std::shared_ptr<FramePool> pool_;  // shared with the path, which reads from it
    std::vector<std::byte> offer_;     ///< not sent yet
    bool ready_ = false;               ///< there is a ring to send into
    std::uint32_t depth_ = 1;
    std::uint64_t offered_ = 0;       ///< blocks that may be in flight
    std::uint64_t sent_ = 0;          ///< accepted by the transport
    std::uint64_t released_ = 0;      ///< no longer read by the transport
    std::uint64_t acknowledged_ = 0;  ///< acknowledged by the receiver
    std::array<TimestampNs, kMaxSweepDepth> offeredAt_{};
    std::optional<RateWindow> window_;
    LatencyHistogram latency_;
};

/// The receiving end. If memory is shared, it copies each block into its own ring.
class SweepSink final : public ChannelEnd {
  public:
    /// Counts arrived blocks in `blocks`.
    SweepSink(const Connection& connection, std::uint64_t blockBytes, std::uint32_t slots,
              std::uint64_t& blocks);

    bool step() override;
    void onMessage(std::span<const std::byte> message) override;
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override;
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;

  private:
    bool send(const SweepAcknowledgement& acknowledgement);

    std::uint64_t blockBytes_;
    std::shared_ptr<FramePool> ring_;      // shared with the path, which writes into it
    std::shared_ptr<FramePool> peerPool_;  // the source's, if memory is shared
    std::uint64_t& blocks_;
    std::vector<std::byte> offer_;            ///< not sent yet
    std::vector<SweepAcknowledgement> late_;  ///< refused as Busy; at most as many as blocks in flight
};

}  // namespace verbcast
