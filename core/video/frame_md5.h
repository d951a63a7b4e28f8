// --frame-md5: one line per frame, comparable with `ffmpeg -i FILE -f framemd5 -`.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

#include "core/video/frame_info.h"
#include "core/video/video_format.h"

namespace verbcast {

/// MD5 of the visible bytes of all planes, without padding, in FFmpeg's rawvideo order; 32 hexadecimal
/// digits.
std::string frameMd5(const VideoFormat& format, const std::byte* payload);

/// Writes "sequence,pts,bytes,md5" lines. Used by one thread.
class FrameMd5Writer {
  public:
    /// Throws Error{Usage} when the file cannot be written. "-" writes to stdout. Everything that writes
    /// throws Error{Resource} when the disk does not take it.
    explicit FrameMd5Writer(const std::string& path);
    void write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload);
    /// The same with an md5 from an earlier frameMd5().
    void write(const VideoFormat& format, const FrameInfo& info, const std::string& md5);
    void flush();
    /// Flushes and closes.
    void finish();

  private:
    struct CloseFile {
        void operator()(std::FILE* file) const {
            if (file != stdout) {
                std::fclose(file);
            }
        }
    };
    void put(const std::string& line);
    [[noreturn]] void fail(int code) const;

    std::string path_;
    std::unique_ptr<std::FILE, CloseFile> file_;
};

}  // namespace verbcast
