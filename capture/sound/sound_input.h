// Where the packets of a medium's sound come from.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

/// Used by one thread.
class SoundInput {
  public:
    virtual ~SoundInput() = default;

    /// Of the file, or the pipe's name, for messages.
    virtual const std::string& path() const = 0;
    /// The chosen ones; none if there is no sound. Valid until another function is called.
    virtual const std::vector<AVStream*>& tracks() const = 0;
    /// Of pictures and sound, as the container says or FFmpeg estimates.
    virtual std::optional<std::chrono::microseconds> duration() const { return std::nullopt; }
    /// The beginning of pictures and sound, from which Playback::position() counts; in AV_TIME_BASE.
    virtual std::int64_t startTime() const = 0;
    /// How much sound of other tracks is read while one brings nothing.
    virtual std::chrono::milliseconds longestApart() const = 0;

    /// Returns 0 with a packet of tracks()[track]; AVERROR(EAGAIN): the next one has not come yet;
    /// AVERROR(ENOBUFS): some have been lost, go on; AVERROR_EOF, AVERROR_EXIT if cancelled, or another
    /// AVERROR: no more come.
    virtual int read(AVPacket& packet, std::size_t& track) = 0;

    /// False for what is read only once. Then neither of the next three can do anything.
    virtual bool canRewind() const { return false; }
    virtual bool canSeek() const { return false; }
    /// Goes to a place from which sound from that time on can be read; it may be much earlier, and for want
    /// of an index later. Returns false if it cannot, and must rewind() then.
    virtual bool seek(std::chrono::microseconds /*time*/) { return false; }
    /// Returns to the beginning. Throws Error{Input} if that fails.
    virtual void rewind() {}
};

}  // namespace verbcast
