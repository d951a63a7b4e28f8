// The sound of what is read only once: pipes and live addresses.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/media/input/pipe_reader.h"
#include "capture/sound/sound_input.h"

namespace verbcast {

/// Keeps the packets of sound that come before the next picture. No picture waits for sound, so there may be
/// none yet; and what nobody takes in time is lost, the oldest first. Fed by MediaInput and read by
/// FileSound, on one thread.
class PipedSound final : public SoundInput {
  public:
    /// Three minutes of uncompressed stereo, as may follow the last picture.
    static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

    /// `tracks` are read, of that medium. At most `maxBytes` wait.
    PipedSound(std::string path, const AVFormatContext& medium, std::vector<AVStream*> tracks,
               std::size_t maxBytes = kMaxBytes);

    /// Takes what is in `packet`, if it is of the tracks.
    void keep(AVPacket& packet);
    /// There is no more, for that reason: AVERROR_EOF or another one.
    void end(int reason) { end_ = reason; }

    const std::string& path() const override { return path_; }
    const std::vector<AVStream*>& tracks() const override { return tracks_; }
    std::int64_t startTime() const override { return startTime_; }
    /// Muxers put tracks closer together, and all sound is late by as much if one has ended.
    std::chrono::milliseconds longestApart() const override { return std::chrono::milliseconds(500); }
    int read(AVPacket& packet, std::size_t& track) override;

  private:
    struct Kept {
        PacketPtr packet;
        std::size_t track;
        std::size_t bytes;
    };

    const std::string path_;
    const std::vector<AVStream*> tracks_;
    const std::int64_t startTime_;
    const std::size_t maxBytes_;
    std::deque<Kept> kept_;
    std::size_t bytes_ = 0;
    bool lost_ = false;  // since the last read()
    int end_ = 0;
};

/// A pipe that holds no pictures. Reading waits for its writer.
class PipeOfSound final : public SoundInput {
  public:
    /// `tracks` are read, of `medium`, which reads from `pipe`.
    PipeOfSound(std::string path, std::unique_ptr<PipeReader> pipe, FormatContextPtr medium,
                std::vector<AVStream*> tracks);

    const std::string& path() const override { return path_; }
    const std::vector<AVStream*>& tracks() const override { return tracks_; }
    std::int64_t startTime() const override;
    std::chrono::milliseconds longestApart() const override { return std::chrono::seconds(5); }
    int read(AVPacket& packet, std::size_t& track) override;

  private:
    const std::string path_;
    const std::unique_ptr<PipeReader> pipe_;
    const FormatContextPtr medium_;
    const std::vector<AVStream*> tracks_;
};

}  // namespace verbcast
