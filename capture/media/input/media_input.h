// Opens a media file with libavformat and reads the packets of its one video stream.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/media/input/kept_file.h"
#include "capture/media/input/pipe_reader.h"
#include "capture/media/input/piped_sound.h"
#include "capture/media/input/stream_head.h"
#include "core/base/os/event.h"
#include "core/video/video_format.h"

namespace verbcast {

/// What of a file is read.
struct MediaChoice {
    std::string format{};                       ///< FFmpeg's name for it; empty: detected, see inputLimits()
    std::optional<std::uint32_t> videoTrack{};  ///< counted from 1; nullopt: the best one, as for ffmpeg
    std::optional<std::uint32_t> soundTrack{};  ///< for takeSound(), as SoundOptions says; nullopt: none
};

/// Used by one thread. The Event given to setCancel() ends blocking reads, also of network protocols.
class MediaInput {
  public:
    /// `cancel` (may be null) ends waits while opening. Throws Error{Input}: no such file, not a media file,
    /// no video in it (NoVideo), one that names others, cancelled; Error{Usage} for an unknown format or
    /// track. `piped` media is read instead of a file; its format is known, and its name is the path.
    explicit MediaInput(const std::string& path, const Event* cancel = nullptr, MediaChoice choice = {},
                        std::optional<PipedMedia> piped = {});

    AVStream& stream() const { return *stream_; }
    const std::string& path() const { return path_; }
    /// Lists the video tracks and how to choose one, if there are several and nobody has chosen; else "".
    const std::string& tracksNote() const { return tracksNote_; }
    bool hasSound() const;
    /// Whether nobody else can read the same: pipes that are no files, and what is live.
    bool isReadOnce() const;
    /// The sound of what is read only once, as read() finds it until the first seek() or rewind(); null if
    /// there is none, it was not asked for, or was taken already.
    std::shared_ptr<SoundInput> takeSound() { return std::move(untaken_); }
    bool isPiped() const { return knownFormat_ != nullptr; }

    /// The guessed rate, an average if it is not constant, or 0/1.
    Rational frameRate() const;
    bool hasConstantRate() const;
    /// Recorded or live broadcasts, whose clock may be set anew.
    bool mayJump() const { return (context_->iformat->flags & (AVFMT_TS_DISCONT | AVFMT_NOFILE)) != 0; }
    Rational pixelAspect(const AVFrame& picture) const;
    /// Number of pictures, if the container counts them.
    std::optional<std::uint64_t> pictureCount() const;
    /// The time `offset` after the start of FFmpeg's timeline, in the stream's time base.
    std::int64_t timeAt(std::chrono::microseconds offset) const;
    std::int64_t startTime() const { return timeAt({}); }
    /// False if the decoder's times are wrong guesses: raw MPEG-1 and MPEG-2 video, where FFmpeg dates the
    /// first or second picture one picture late.
    bool hasTimes() const { return std::string_view(context_->iformat->name) != "mpegvideo"; }
    /// From the first picture to the end, as the container says, FFmpeg estimates or the last packets show.
    std::optional<std::chrono::microseconds> duration() const { return duration_; }
    /// The end that the container announces, on the same timeline; unset if it has none, or several streams.
    std::optional<std::int64_t> announcedEnd() const;

    /// Returns 0 with a packet of the stream, AVERROR_EOF, AVERROR_EXIT if cancelled, or another AVERROR.
    int read(AVPacket& packet);
    /// Whether FFmpeg has noticed that the file was cut off, which it reports as an ordinary end.
    bool isCutOff() const { return cutOff_; }
    /// Goes to where pictures from that time on can be decoded; the first ones read may be earlier. Returns
    /// false, with nothing changed, for pipes and files without an index or times.
    bool seek(std::chrono::microseconds time);
    /// The times of the pictures before that one, in order, as far as their packets come from now on.
    std::vector<std::int64_t> timesBefore(std::int64_t time);
    /// False for a pipe, unless it is a file that can seek().
    bool canRewind() const { return !pipe_ || canSeek(); }
    /// Returns to the first picture. Reopens the file if it cannot seek; throws Error{Input} if that fails.
    void rewind();

    void setCancel(const Event* cancel);
    bool isCancelled() const;

  private:
    static int isInterrupted(void* self);
    void open();
    void chooseStream();
    [[noreturn]] void throwNoVideo(bool hasCover);
    void keepSound();
    AVStream* chosenOf(const std::vector<AVStream*>& videos) const;
    std::string tracksText(const std::vector<AVStream*>& videos) const;
    void findDuration();
    std::optional<std::chrono::microseconds> measuredDuration();
    bool canSeek() const;

    std::string path_;
    KeptFile file_;
    MediaChoice choice_;
    std::string tracksNote_;
    std::atomic<const Event*> cancel_{nullptr};
    std::unique_ptr<PipeReader> pipe_;            // a named pipe or the caller's descriptor
    const AVInputFormat* knownFormat_ = nullptr;  // of piped media
    FormatContextPtr context_;
    AVStream* stream_ = nullptr;
    std::shared_ptr<PipedSound> untaken_;  // until takeSound() gives it to its reader
    std::weak_ptr<PipedSound> sound_;      // fed as long as somebody wants it
    std::optional<std::chrono::microseconds> duration_;
    bool cutOff_ = false;
};

}  // namespace verbcast
