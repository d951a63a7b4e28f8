// A display of a sender that shows its frames together with others.
#pragma once

#include <memory>
#include <mutex>

#include "core/flow/queued_frame.h"
#include "core/session/link.h"
#include "core/session/outbox.h"
#include "core/sync/clock_tie.h"
#include "core/sync/kept_clock.h"
#include "core/sync/presentation_group.h"

namespace verbcast {

/// What the displays of one sender share: when they show a frame, and the host's clock. Thread-safe.
class FrameLock {
  public:
    explicit FrameLock(const PresentationOptions& options) : group_(options) {}

    PresentationGroup& group() { return group_; }
    FrameLockStats stats() const { return group_.stats(); }
    TimestampNs wallOffset(TimestampNs now) {
        const std::lock_guard lock(mutex_);
        return kept_.wallOffset(now);
    }

  private:
    PresentationGroup group_;
    std::mutex mutex_;  // guards kept_
    KeptClock kept_;
};

/// The display's part of its link: tells it when to show frames, and hears when it has shown them.
class LockedDisplay final : public SourceFeature, private GroupDisplay {
  public:
    /// `id` identifies the link in the group. `lock` must outlive this.
    LockedDisplay(Link& link, std::uint64_t id, FrameLock& lock);
    ~LockedDisplay() override { onEnd(); }

    void onReady() override;
    bool onMessage(MessageType type, ByteReader& reader) override;
    bool step() override { return orders_.flush(link_.messages()); }
    void onTick(TimestampNs now) override;
    /// Others wait for what it says.
    bool maySleep() const override { return false; }
    /// Not those that the group has no room for.
    bool wants(const QueuedFrame& frame) const override { return frame.forDisplays; }
    void onSent(const FrameInfo& info) override;
    void onSlotsBack(TrackId track, std::uint64_t newest) override;
    void onEnd() noexcept override;

  private:
    /// Called from the thread of any link.
    void present(const PresentFrame& message) noexcept override { static_cast<void>(orders_.put(message)); }
    TimestampNs wallOffset(TimestampNs now);

    Link& link_;
    const std::uint64_t id_;
    FrameLock& lock_;
    Outbox orders_;
    ClockTie tie_;
    TimestampNs newsAt_ = 0;
};

/// Null for a viewer that shows frames as they come: one that did not offer to wait, or whose frames come
/// over several links.
std::unique_ptr<LockedDisplay> lockedDisplay(Link& link, std::uint64_t id, FrameLock& lock);

}  // namespace verbcast
