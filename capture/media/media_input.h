// Opens a media file with libavformat and reads the packets of its one video stream.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/media/pipe_reader.h"
#include "capture/media/stream_head.h"
#include "core/base/event.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Used by one thread. Blocking reads end when the Event given to setCancel() is set (network protocols
/// included).
class MediaInput {
  public:
    /// `cancel` (may be null) ends waits while opening. Throws Error{Input}: no such file, not a media file,
    /// no video in it, cancelled.
    explicit MediaInput(const std::string& path, const Event* cancel = nullptr);
    /// Likewise. The path is then the name that the media was given.
    MediaInput(PipedMedia media, const Event* cancel);

    AVStream& stream() const { return *stream_; }
    const std::string& path() const { return path_; }
    bool isPiped() const { return knownFormat_ != nullptr; }

    /// The guessed rate of a constant-rate stream, or 0/1.
    Rational frameRate() const;
    Rational pixelAspect(const AVFrame& picture) const;
    /// Degrees clockwise from the stream's display matrix: 0, 90, 180 or 270.
    std::uint16_t rotation() const;
    /// False when the display matrix mirrors or turns by other angles, which is not carried.
    bool rotationIsExact() const;
    /// Pictures in the file, when its container counts them.
    std::optional<std::uint64_t> pictureCount() const;
    /// So long after FFmpeg's timeline begins, in the stream's time base.
    std::int64_t timeAt(std::chrono::microseconds offset) const;
    std::int64_t startTime() const { return timeAt({}); }
    /// False where the decoder's times are guesses, and wrong: raw MPEG-1 and MPEG-2 video, whose first
    /// picture FFmpeg dates one picture late, or its second.
    bool hasTimes() const;
    /// Of all that is in the file, as the container says or FFmpeg estimates.
    std::optional<std::chrono::microseconds> duration() const;
    /// The announced end of the stream on the same timeline, when it has no company and the container says.
    std::optional<std::int64_t> announcedEnd() const;

    /// 0 with a packet of the stream; AVERROR_EOF; AVERROR_EXIT when cancelled; another AVERROR.
    int read(AVPacket& packet);
    /// Goes to where pictures from that time on can be decoded; the first ones read may be earlier. False
    /// where the file has no index or times, or is a pipe: then nothing has changed.
    bool seek(std::chrono::microseconds time);
    /// A pipe cannot, unless it is a file and can seek().
    bool canRewind() const { return !pipe_ || canSeek(); }
    /// Goes back to the first picture. Opens the file again where it cannot seek; throws Error{Input} if that
    /// fails.
    void rewind();

    void setCancel(const Event* cancel) { cancel_.store(cancel); }

  private:
    static int isInterrupted(void* self);
    void open();
    void chooseStream();
    bool canSeek() const;

    std::string path_;
    std::atomic<const Event*> cancel_{nullptr};
    std::unique_ptr<PipeReader> pipe_;            // named, or somebody's descriptor
    const AVInputFormat* knownFormat_ = nullptr;  // null: found out when opening
    FormatContextPtr context_;
    AVStream* stream_ = nullptr;
};

}  // namespace verbcast
