// Catches what FFmpeg logs besides its return code: "moov atom not found".
#pragma once

#include <cstdarg>
#include <string>

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

    /// Whether it said so of a file that is shorter than its container says.
    bool endedEarly() const { return endedEarly_; }

    /// Called by DamageWatch's av_log_set_callback() callback.
    static void hear(void* object, int level, const char* format, va_list arguments);

  private:
    std::string text_;
    bool endedEarly_ = false;
    LastFfmpegError* const outer_;
};

}  // namespace verbcast
