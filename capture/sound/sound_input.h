// Opens a media file for its sound, beside the pictures, and reads the packets of the chosen tracks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "core/base/os/event.h"

namespace verbcast {

/// Used by one thread.
class SoundInput {
  public:
    /// `track` as SoundOptions says. `cancel` (may be null, else outlives this) ends waits for networks.
    /// Throws as openMedia() does, Error{Input} for what is live, and Error{Usage} if the file holds sound,
    /// but not that track.
    SoundInput(std::string path, std::string inputFormat, std::uint32_t track, const Event* cancel);

    const std::string& path() const { return path_; }
    /// The chosen ones; none if the file holds no sound. Valid until rewind().
    const std::vector<AVStream*>& tracks() const { return tracks_; }
    /// The beginning of pictures and sound, from which Playback::position() counts; in AV_TIME_BASE.
    std::int64_t startTime() const;

    /// Returns 0 with a packet of tracks()[track], AVERROR_EOF, AVERROR_EXIT if cancelled, or another
    /// AVERROR.
    int read(AVPacket& packet, std::size_t& track);

    bool canSeek() const;
    /// Goes to a place from which sound from that time on can be read; it may be much earlier, and for want
    /// of an index later. Returns false if it cannot, and must rewind() then.
    bool seek(std::chrono::microseconds time);
    /// Returns to the beginning by opening the file again. Throws as the constructor does.
    void rewind();

  private:
    static int isInterrupted(void* self);
    [[noreturn]] void refuseLive() const;
    void chooseTracks();

    std::string path_;
    std::string inputFormat_;
    std::uint32_t track_;
    const Event* cancel_;
    FormatContextPtr context_;
    std::vector<AVStream*> tracks_;
    AVStream* video_ = nullptr;  // the index of many files holds key pictures only
};

}  // namespace verbcast
