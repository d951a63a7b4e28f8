// The sound of a mosaic, sent beside its pictures.
#pragma once

#include <optional>

#include "app/commands/compose/mosaic/sound/sound_desk.h"
#include "app/commands/send/sound_beside.h"
#include "app/commands/send/sound_blocks.h"
#include "core/base/os/owned_thread.h"

namespace verbcast {

/// Sound that may be dropped has a thread of its own, so that it waits for no picture. Lossless sound is sent
/// by the thread that sends the pictures, as Broadcast asks.
class ComposedSound final : public SoundBeside {
  public:
    /// `desk` must outlive this. `expected`: see isExpected().
    ComposedSound(SoundDesk& desk, Policy policy, bool expected)
        : desk_(desk), policy_(policy), expected_(expected) {}
    ~ComposedSound() override { stop_.notify(); }

    bool isExpected() const override { return expected_; }
    Policy policyBeside(Policy /*pictures*/) const override { return policy_; }
    void start(Broadcast& sender) override;
    Status sendWith(const PlaceOfPicture& picture, Broadcast& sender, const Event& cancel) override;
    void awaitEnd(const Event& cancel) override;

  private:
    Status sendAll(Broadcast& sender, const Event& cancel);
    Status submit(Broadcast& sender, const Event& cancel);

    SoundDesk& desk_;
    const Policy policy_;
    const bool expected_;
    Broadcast* sender_ = nullptr;
    SoundBlocks blocks_;
    PlacedSound block_;
    Event stop_;
    std::optional<OwnedThread> thread_;  // last: it uses everything above
};

}  // namespace verbcast
