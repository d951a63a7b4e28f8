// The sound of a stream, on a track of its own beside the pictures.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/send/sound_beside.h"
#include "app/commands/send/sound_blocks.h"
#include "capture/sound_source.h"
#include "core/base/os/owned_thread.h"

namespace verbcast {

/// Which sound goes with a stream's pictures.
struct SoundPart {
    std::chrono::nanoseconds start{0};                 ///< of a file
    std::optional<std::chrono::nanoseconds> length{};  ///< of a file; nullopt: all that follows
    TimestampNs zero = 0;                              ///< live: SoundOptions::ptsZero
};

/// Sound of a source that waits is sent by the thread that sends the pictures, somewhat ahead of each, so
/// that it pauses, jumps and ends with them. Live sound has a thread of its own and waits for no picture.
class SentSound final : public SoundBeside {
  public:
    SentSound(std::unique_ptr<SoundSource> source, const SoundPart& part);
    ~SentSound() override;

    Policy policyBeside(Policy pictures) const override { return live_ ? Policy::Latest : pictures; }
    void start(Broadcast& sender) override;
    bool sendMeanwhile(Broadcast& sender, const Event& cancel) override;
    Status sendWith(const PlaceOfPicture& picture, Broadcast& sender, const Event& cancel) override;
    std::optional<double> restDue() const override;
    Status sendRest(double media, Broadcast& sender, const Event& cancel) override {
        return sendUntil(media + SoundBlocks::kAhead + SoundBlocks::kStep - offset_, sender, cancel);
    }
    /// Those of the source.
    std::vector<std::string> takeNotes() override;

  private:
    void tieLive(const PlaceOfPicture& picture);
    Status sendUntil(double position, Broadcast& sender, const Event& cancel);
    Status submit(const CapturedSound& block, Broadcast& sender, const Event& cancel);
    void keepNotes();
    void sendLive(Broadcast& sender);

    const std::unique_ptr<SoundSource> source_;
    const bool live_;
    const SoundPart part_;
    SoundBlocks blocks_;
    CapturedSound block_;
    bool waiting_ = false;  // block_ is read and not sent
    bool over_ = false;
    bool anchored_ = false;
    double until_ = 0;               // the source's time that the last picture asked for
    std::atomic<double> offset_{0};  // from the source's time to media time, in seconds
    std::mutex mutex_;               // guards notes_
    std::vector<std::string> notes_;
    std::size_t notesTaken_ = 0;
    Event stop_;
    std::optional<OwnedThread> thread_;  // last: it uses everything above
};

}  // namespace verbcast
