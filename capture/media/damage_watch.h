// Tells which pictures a decoder has patched up.
#pragma once

#include <cstdint>
#include <set>

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

/// AVFrame::decode_error_flags ought to say that parts of a picture were concealed, but FFmpeg 5.1 loses
/// them when frames are decoded by several threads: a thread hands on the copy of the picture's properties
/// that it took before another thread had decoded it. What stays is the line that FFmpeg's error resilience
/// logs, in the context of the thread at work ("concealing 120 DC, 120 AC, 120 MV errors in P frame"). This
/// class catches that line and remembers the buffer that the thread was filling.
///
/// All members may be called by any thread.
class DamageWatch {
  public:
    DamageWatch();
    ~DamageWatch();
    DamageWatch(const DamageWatch&) = delete;
    DamageWatch& operator=(const DamageWatch&) = delete;

    /// From get_buffer2, when the frame has its buffer: `context`, a thread's own, now fills it.
    void pictureBegins(const AVCodecContext& context, const AVFrame& frame);

    /// Whether the decoder has concealed errors in this picture. Asked once per picture.
    bool takeDamage(const AVFrame& picture);

    /// av_log_set_callback(), once in a process.
    static void installCallback();

  private:
    static void onLog(void* object, int level, const char* format, va_list arguments);

    std::set<const std::uint8_t*> concealed_;  // buffers; guarded by the lock of all watches
};

}  // namespace verbcast
