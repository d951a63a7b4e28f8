// What received frames and sound are written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/output/container_names.h"
#include "core/base/os/event.h"
#include "core/sound/sound_format.h"
#include "core/video/frame_info.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Takes each frame completely before write() returns, directly from its slot if it can; but encoders keep
/// some, until finish(). Used by one thread.
class FrameSink {
  public:
    virtual ~FrameSink() = default;

    /// Ok. Closed: the reader is gone. Cancelled. The first frame sets the format. Throws Error{Usage} if the
    /// sink cannot hold it, Error{Input} if a later one differs in size or pixel format, Error{Resource} if
    /// writing fails, naming how much was written.
    virtual Status write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload) = 0;

    /// There will be sound, of which VideoFile::sound said nothing. Call before the first write(). Throws
    /// Error{Usage} if the file has no place for it: then there is none.
    virtual void addSound(const SoundFormat& format) = 0;

    /// A block of sound, planar as SoundFormat says; `pts` of its first sample. Returns and throws as write()
    /// does; one file holds sound of one rate, channels and layout.
    ///
    /// Pictures and sound keep their distance, to the sample where the container's times allow it (Matroska's
    /// are milliseconds, so that there the sound may begin with a few of silence). The file begins
    /// with what is first of both, so call it in the order of time: sound from before a picture that is
    /// written already can be left out. Before the first picture, 5 s are kept. The samples form one unbroken
    /// track: blocks whose times differ from the count of samples by less than 20 ms follow each other, and
    /// if they stay away by 1 ms, one sample in at least 200 is repeated or left out; for a longer gap
    /// silence is written, up to 10 minutes; what overlaps is left out; times that jump further are not
    /// believed unless the pictures' do so, too. notes() counts the last three from finish() on.
    virtual Status writeSound(const SoundFormat& format, std::int64_t pts,
                              std::span<const std::byte> planar) = 0;

    /// No picture will come: the file begins with the sound that was kept for the first one. Call before the
    /// first write(), and none after it. Returns and throws as write() does.
    virtual Status leaveOutPictures() = 0;

    /// Writes what is left and closes; throws as write() does.
    virtual Status finish() = 0;

    virtual std::uint64_t bytesWritten() const = 0;

    /// Notes for the user: "p010le is written as yuv420p10le, ...".
    virtual const std::vector<std::string>& notes() const = 0;
};

/// `cancel` ends waits for the reader. Where the container holds no sound, a .wav is written beside the file.
/// Throws Error{Usage} if the file cannot be written to, or is kept, or there is no such encoder for it, or
/// no place for its sound.
std::unique_ptr<FrameSink> openSink(const VideoFile& file, const Event& cancel);

}  // namespace verbcast
