#include "capture/media/last_ffmpeg_error.h"

#include <array>
#include <cstring>

#include "capture/media/damage_watch.h"

namespace verbcast {
namespace {

thread_local LastFfmpegError* listener = nullptr;

}  // namespace

LastFfmpegError::LastFfmpegError() : outer_(listener) {
    DamageWatch::installCallback();
    listener = this;
}

LastFfmpegError::~LastFfmpegError() {
    listener = outer_;
}

void LastFfmpegError::hear(void* object, int level, const char* format, va_list arguments) {
    if (listener == nullptr || level > AV_LOG_ERROR) {
        return;
    }
    std::array<char, 512> line{};
    int withPrefix = 0;
    va_list copy;
    va_copy(copy, arguments);
    av_log_format_line2(object, level, format, copy, line.data(), line.size(), &withPrefix);
    va_end(copy);
    std::string& text = listener->text_;
    text.assign(line.data(), std::strcspn(line.data(), "\n"));
    listener->endedEarly_ = listener->endedEarly_ || text.find("ended prematurely") != std::string::npos;
}

}  // namespace verbcast
