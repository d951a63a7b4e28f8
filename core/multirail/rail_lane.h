// What one rail sends of a track.
#pragma once

#include "core/multirail/rail_viewer.h"
#include "core/stream/send/track_queue.h"

namespace verbcast {

/// Takes frames from what all rails share when its link can send them; they stay there until the receiver has
/// them. What is pushed into one of the lanes is there for all.
class RailLane final : public TrackQueue {
  public:
    RailLane(RailViewer& viewer, std::uint8_t rail, TrackId track, const Viewer::Room& room)
        : TrackQueue(viewer.tally(track)),
          viewer_(viewer),
          rail_(rail),
          track_(track),
          atOnce_(viewer.framesAtOnce(track, room)),
          shared_(viewer.queue(track, room)) {}

    Policy policy() const override { return viewer_.policyOf(track_); }
    void push(QueuedFrame&& frame, std::optional<QueuedFrame>& dropped) override;
    bool canPush() const override { return shared_.canPush(); }
    QueuedFrame* front(const SenderTrack& track) override;
    void giveUp() override;
    void prepare() override {}
    void sent(const FrameInfo& info) override;
    void left(std::uint64_t sequence) override { shared_.left(rail_, sequence); }
    bool accepted(std::uint64_t next) override { return shared_.accepted(next); }
    void decline() override;
    bool drained() const override { return waiting().empty() && shared_.empty(); }
    /// Rails bring the frames of a stream to one consumer, which knows the one before, no matter which rail
    /// brought it.
    bool hasPredecessor(std::uint64_t, std::uint64_t) const override { return true; }
    std::optional<TimestampNs> nextDue(const SenderTrack& track) const override;
    /// The others send what this one has not.
    std::vector<QueuedFrame> takeUnaccepted(bool lost) override;
    void resend(QueuedFrame&& frame) override { shared_.push(std::move(frame)); }

  private:
    void tellGaps(const SenderTrack& track);
    void skipAccepted();

    RailViewer& viewer_;
    const std::uint8_t rail_;
    const TrackId track_;
    const std::uint32_t atOnce_;
    RailQueue& shared_;
    bool full_ = false;  // the link could take no frame
};

}  // namespace verbcast
