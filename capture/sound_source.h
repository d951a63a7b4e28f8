// Sources of sound: a file's, a test tone, a device.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/base/os/event.h"
#include "core/sound/sound_format.h"

namespace verbcast {

/// A stretch of sound, at most SoundFormat::maxSamples long.
struct CapturedSound {
    /// Planar, as SoundFormat says: channels times the block's samples. Reused from block to block.
    std::vector<float> samples;
    /// The time of the first sample in units of 1/rate s. Of sources that begin and end: from the beginning,
    /// as Playback::position() counts for pictures of the same file. Live: from SoundOptions::ptsZero.
    std::int64_t at = 0;
    TimestampNs capturedAt = 0;  ///< when the first sample was heard; of a file: now
};

/// Produces blocks. Used by one thread; devices have others of their own.
class SoundSource {
  public:
    virtual ~SoundSource() = default;

    /// "sound of clip.mp4 (aac)", "monitor of Built-in Audio (PipeWire)" for messages.
    virtual std::string describe() const = 0;
    /// Notes for the user, such as "sound track 2 is resampled from 44.1 to 48 kHz". May be empty; only
    /// grows.
    virtual std::vector<std::string> notes() const = 0;
    /// Of the next block; known from the start. Later blocks may change it (a device that changes its rate).
    virtual const SoundFormat& format() const = 0;
    /// Whether it waits for nobody: blocks that are not read in time are lost, and said in notes().
    virtual bool isLive() const = 0;

    /// Takes the next block. Ok. TimedOut: none now; of a live source, waitDescriptor() tells when; of a
    /// pipe, there may be one when the next picture has been captured. Closed: the end, until seek(). Never
    /// blocks on anything but a file. Throws Error{Input, Device} if the source fails for good; a device that
    /// has gone is waited for, and said in notes().
    virtual Status read(CapturedSound& block) = 0;
    /// Live: readable when a block is there. Otherwise negative.
    virtual int waitDescriptor() const { return -1; }
    /// Live: how much sound comes at a time, of a device that says so; else 0.
    virtual std::chrono::nanoseconds cycle() const { return std::chrono::nanoseconds(0); }

    /// From the beginning to the end, if that is known.
    virtual std::optional<std::chrono::nanoseconds> duration() const { return std::nullopt; }
    /// Not live: false if it only goes on, as the sound of a pipe.
    virtual bool canRewind() const { return true; }
    /// Not live: continues with the sample at that time, exactly, or if it cannot rewind, with the next one.
    virtual void seek(std::chrono::nanoseconds /*time*/) {}
};

struct SoundOptions {
    /// Which of a file's sound tracks: 1 and on; 0: all, their channels one after the other.
    std::uint32_t track = 1;
    /// The longest block; live sources make no shorter ones than they must.
    std::chrono::milliseconds block{5};
    /// Live: the time of CapturedSound::at 0. nullopt: that of the first sample.
    std::optional<TimestampNs> ptsZero{};
};

}  // namespace verbcast
