// Maps a decoder's time stamps to the stream's pts.
#pragma once

#include <cstdint>
#include <optional>

#include "capture/convert/ffmpeg_handles.h"
#include "core/video/video_format.h"

namespace verbcast {

/// With a constant frame rate, pts counts frames (time base 1/rate), as `ffmpeg -f framemd5` prints it; else
/// pts is the container's time, starting at 0.
class PresentationClock {
  public:
    /// `start` is the start of the file's timeline, in `streamBase`. `frameRate` is 0/1 if it is unknown.
    PresentationClock(AVRational streamBase, std::int64_t start, Rational frameRate, bool constantRate);

    Rational timeBase() const { return timeBase_; }

    /// The pts of a picture. One without a time stamp follows the picture before.
    std::int64_t ptsOf(const AVFrame& picture);

    /// When that picture ends, as it says or by the frame rate.
    std::int64_t end() const { return nextPts_; }

    /// The file restarts: the next picture follows the last one.
    void startLap() {
        lapOffset_ = nextPts_;
        lapStart_.reset();
    }

  private:
    AVRational streamBase_;
    std::int64_t start_;
    Rational timeBase_;
    std::int64_t usual_ = 1;  // time of a picture that does not say how long it lasts
    std::int64_t nextPts_ = 0;
    std::int64_t lapOffset_ = 0;
    std::optional<std::int64_t> lapStart_;  // pts of the lap's first picture, to follow on without a gap
};

}  // namespace verbcast
