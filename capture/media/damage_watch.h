// Tells in which pictures a decoder has concealed errors.
#pragma once

#include <cstdint>
#include <set>

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

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

    /// Calls av_log_set_callback(), once per process.
    static void installCallback();

  private:
    static void onLog(void* object, int level, const char* format, va_list arguments);

    std::set<const std::uint8_t*> concealed_;  // buffers; guarded by the mutex that all watches share
};

}  // namespace verbcast
