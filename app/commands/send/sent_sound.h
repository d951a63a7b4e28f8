// The sound of a stream, on a track of its own beside the pictures.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/send/sound_beside.h"
#include "app/commands/send/sound_blocks.h"
#include "app/commands/send/source_sound.h"

namespace verbcast {

/// Of a source of this host. Live sound waits for no picture, and is dropped for viewers that are too slow.
class SentSound final : public SoundBeside {
  public:
    explicit SentSound(std::unique_ptr<SourceSound> source) : source_(std::move(source)) {}

    Policy policyBeside(Policy pictures) const override {
        return source_->isLive() ? Policy::Latest : pictures;
    }
    void start(Broadcast& sender) override { source_->start(takeTo(sender, never_)); }
    Status sendWith(const PlaceOfPicture& picture, Broadcast& sender, const Event& cancel) override {
        return source_->readWith(picture, takeTo(sender, cancel));
    }
    bool sendMeanwhile(Broadcast& sender, const Event& cancel) override {
        source_->readMeanwhile(takeTo(sender, cancel));
        return false;
    }
    std::optional<double> moreDue() const override { return source_->moreDue(); }
    Status sendMore(double media, Broadcast& sender, const Event& cancel) override {
        return source_->readMore(media, takeTo(sender, cancel));
    }
    /// Those of the source.
    std::vector<std::string> takeNotes() override { return source_->takeNotes(); }

  private:
    SourceSound::Take takeTo(Broadcast& sender, const Event& cancel);

    const Event never_;
    SoundBlocks blocks_;
    const std::unique_ptr<SourceSound> source_;  // last: its thread uses everything above
};

}  // namespace verbcast
