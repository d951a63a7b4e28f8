// Puts packets into a container, in a file or pipe.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/output/container_names.h"
#include "capture/output/output_descriptor.h"

namespace verbcast {

/// FFmpeg's description of the container. Throws Error{Input} if this FFmpeg cannot write it.
const AVOutputFormat& muxerOf(Container container);

/// Used by one thread. open(), addStream() for each, writeHeader(), write() and hold(), finish(). What the
/// output throws while FFmpeg calls it is thrown by written() and the like. `int`s are FFmpeg's codes.
class Muxer {
  public:
    /// Opens the output; throws as OutputDescriptor does. `complete` says what has been written whole, for
    /// messages: "3 whole frames".
    Muxer(const std::string& path, Container container, const Event& cancel, Existing existing,
          std::function<std::string()> complete);

    bool isOpen() const { return context_ != nullptr; }
    /// Whether what has been written can be changed: a regular file.
    bool seekable() const { return output_.seekable(); }
    std::uint64_t bytesWritten() const { return output_.bytesWritten(); }
    /// Why the output takes no more bytes: Closed or Cancelled. Ok: it does.
    Status refused() const { return refused_; }

    /// Waits for a named pipe's reader. `direct`: packets are so large that they bypass the buffer.
    Status open(bool direct);
    /// Valid as long as the muxer.
    AVStream& addStream();
    /// Throws Error{Usage} if the container does not hold `what`, which is for the message.
    Status writeHeader(const std::string& what, DictionaryPtr options);

    /// All times are later in the file by so much. Call after writeHeader().
    void delayAll(std::int64_t time, AVRational timeBase);
    /// Writes the packet, whose times are in `timeBase`, and before it those held that are not later.
    int write(AVPacket& packet, int stream, AVRational timeBase);
    /// Keeps the packet until one that is not earlier is written, or others held are some seconds later.
    int hold(AVPacket& packet, int stream, AVRational timeBase);
    /// Passes everything on: the reader must not wait for the next packet. Says how write() went.
    Status written(int code);

    /// `code`: of the last packets. Writes what is held and the end, and closes the output.
    Status finish(int code);

  private:
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    using WrittenByte = const std::uint8_t;
#else
    using WrittenByte = std::uint8_t;
#endif
    struct FreeMuxer {
        void operator()(AVFormatContext* context) const { avformat_free_context(context); }
        void operator()(AVIOContext* context) const;
    };
    struct Held {
        PacketPtr packet;
        int stream;
        AVRational timeBase;
    };
    const char* name() const {
        return nameOf(container_).muxer;
    }
    static int writeBytes(void* self, WrittenByte* bytes, int count);
    static std::int64_t seekBytes(void* self, std::int64_t offset, int whence);
    Status outcome(int code, const char* call);
    int put(AVPacket& packet, int stream, AVRational timeBase);
    int putHeld();

    Container container_;
    std::function<std::string()> complete_;
    OutputDescriptor output_;
    std::unique_ptr<AVIOContext, FreeMuxer> bytes_;
    std::unique_ptr<AVFormatContext, FreeMuxer> context_;  // from open() on
    std::int64_t delay_ = 0;
    AVRational delayBase_{1, 1};
    std::deque<Held> held_;
    Status refused_ = Status::Ok;  // why the output took no more bytes
    std::exception_ptr failure_;   // likewise
};

}  // namespace verbcast
