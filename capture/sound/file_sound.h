// The sound of media files and pipes.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/sound/decoded_track.h"
#include "capture/sound/note_list.h"
#include "capture/sound/sound_input.h"
#include "capture/sound_source.h"

namespace verbcast {

/// Decodes the sound of media. What need not be resampled is bit by bit what the ffmpeg program makes of it.
/// Blocks lie where the file's time stamps, edit lists and priming say, and may be apart, or go back where
/// the stamps do. Where one of several tracks has nothing, its channels are silent.
class FileSound final : public SoundSource {
  public:
    /// `input` has at least one track, and is shared with what feeds it, if it is a pipe's. Throws
    /// Error{Input} if FFmpeg cannot decode one, or there are too many channels.
    FileSound(std::shared_ptr<SoundInput> input, const SoundOptions& options);

    std::string describe() const override;
    std::vector<std::string> notes() const override { return notes_.all(); }
    const SoundFormat& format() const override { return format_; }
    bool isLive() const override { return false; }
    std::optional<std::chrono::nanoseconds> duration() const override { return input_->duration(); }
    Status read(CapturedSound& block) override;
    bool canRewind() const override { return input_->canRewind(); }
    void seek(std::chrono::nanoseconds time) override;

  private:
    /// Returns false if there is none now.
    bool readPacket();
    /// Whether each track has a whole block, or what it has before a gap.
    bool isReady() const;
    bool hasSound() const;
    void goToSought();
    void approach(std::chrono::microseconds place);
    /// Until seeks are exact, but not far.
    void learnTimelines();
    /// Reads until the next block can be made. Returns false if it cannot be made yet.
    bool gather();
    /// Drops what is before the place that was sought.
    void dropEarly();
    /// Drops what has come too late for the block at next_. Returns whether there was any.
    bool dropLate();
    void copyBlock(CapturedSound& block);

    const std::shared_ptr<SoundInput> input_;
    NoteList notes_;
    std::vector<std::unique_ptr<DecodedTrack>> tracks_;
    std::string codec_;
    SoundFormat format_;
    PacketPtr packet_;
    bool ended_ = false;
    std::int64_t next_ = INT64_MIN;  // where the last block ended
    std::optional<std::int64_t> sought_{};
    std::optional<std::int64_t> from_{};  // until a block has come after a seek: what is before is dropped
};

}  // namespace verbcast
