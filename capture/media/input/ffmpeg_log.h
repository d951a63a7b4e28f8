// What only FFmpeg's log tells: why a call failed ("moov atom not found"), and which pictures are damaged.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

/// While it lives, keeps the last error that FFmpeg logs on the constructing thread. If several are nested,
/// only the innermost hears it.
class LastFfmpegError {
  public:
    LastFfmpegError();
    ~LastFfmpegError();
    LastFfmpegError(const LastFfmpegError&) = delete;
    LastFfmpegError& operator=(const LastFfmpegError&) = delete;

    /// Without FFmpeg's prefix; empty if there was no error.
    const std::string& text() const { return text_; }
    /// The same; if there was none, the text of the code that a function returned.
    std::string textOr(int code) const { return text_.empty() ? avErrorText(code) : text_; }
    /// Whether it said so of a file that is shorter than its container says.
    bool endedEarly() const { return endedEarly_; }

    /// Called on the thread that logs the line.
    void hear(std::string line);

  private:
    std::string text_;
    bool endedEarly_ = false;
    LastFfmpegError* const outer_;
};

/// Whether the decoder has marked the picture as damaged.
inline bool isMarkedDamaged(const AVFrame& picture) {
    return (picture.flags & AV_FRAME_FLAG_CORRUPT) != 0 || picture.decode_error_flags != 0;
}

/// AVFrame::decode_error_flags should tell that parts of a picture were concealed, but FFmpeg 5.1 loses them
/// with frame threading: a thread passes on the copy of the picture's properties that it took before another
/// thread had decoded it. What remains is the line that FFmpeg's error resilience logs in the context of the
/// working thread ("concealing 120 DC, 120 AC, 120 MV errors in P frame"). This class catches that line and
/// remembers the buffer that the thread was filling.
///
/// Thread-safe.
class DamageWatch {
  public:
    DamageWatch();
    ~DamageWatch();
    DamageWatch(const DamageWatch&) = delete;
    DamageWatch& operator=(const DamageWatch&) = delete;

    /// Call from get_buffer2 once the frame has its buffer: `context`, a thread's own, starts to fill it.
    void pictureBegins(const AVCodecContext& context, const AVFrame& frame);

    /// Whether the decoder concealed errors in this picture, or marked it. Ask once per picture.
    bool takeDamage(const AVFrame& picture);

  private:
    std::set<const std::uint8_t*> concealed_;  // buffers; guarded by the mutex that all watches share
};

}  // namespace verbcast
