// The sound of a relay's stream, passed on as it came.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "app/commands/send/sound_beside.h"
#include "app/commands/send/sound_blocks.h"
#include "app/view/sound/sound_thread.h"
#include "core/stream/incoming_stream.h"

namespace verbcast {

/// Copies each block, which frees its slot at once, and keeps its time stamp and format. Live sound has a
/// thread of its own, so that it waits for no picture. Lossless sound is sent by the thread that sends the
/// pictures, as Broadcast asks: a slow viewer slows both, here and at the sender.
class RelayedSound final : public SoundBeside {
  public:
    /// `stream` wants kSoundTrack, which nobody else consumes, and must outlive this. `first`: a block that
    /// was taken already, if it has a lease.
    RelayedSound(IncomingStream& stream, Policy policy, ReceivedFrame first)
        : stream_(stream),
          policy_(policy),
          isExpected_(stream.hasSound() || first.lease),
          next_(std::move(first)) {}

    bool isExpected() const override { return isExpected_; }
    Policy policyBeside(Policy /*pictures*/) const override { return policy_; }
    void start(Broadcast& sender) override;
    bool sendMeanwhile(Broadcast& sender, const Event& cancel) override;
    void awaitEnd(const Event& cancel) override;

  private:
    Status submit(const ReceivedFrame& block, Broadcast& sender, const Event& cancel);

    IncomingStream& stream_;
    const Policy policy_;
    const bool isExpected_;
    SoundBlocks blocks_;
    ReceivedFrame next_;  // lossless: received, and not sent as nobody was there, if it has a lease
    std::atomic<bool> sends_{false};
    const Event never_;
    Event ended_;                        // live: there is no more
    std::optional<SoundThread> thread_;  // live; last: it uses everything above
};

}  // namespace verbcast
