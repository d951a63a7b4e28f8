// What FFmpeg logs besides the code that it returns: "moov atom not found".
#pragma once

#include <cstdarg>
#include <string>

namespace verbcast {

/// Keeps the last error that FFmpeg logs on the thread that made it, while it lives. Not nested.
class LastFfmpegError {
  public:
    LastFfmpegError();
    ~LastFfmpegError();
    LastFfmpegError(const LastFfmpegError&) = delete;
    LastFfmpegError& operator=(const LastFfmpegError&) = delete;

    /// Without FFmpeg's prefix; empty when there was none.
    const std::string& text() const { return text_; }

    /// For the callback of av_log_set_callback(): DamageWatch's.
    static void hear(void* object, int level, const char* format, va_list arguments);

  private:
    std::string text_;
};

}  // namespace verbcast
