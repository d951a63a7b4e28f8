// Reads the first bytes of a pipe to find out what follows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "core/base/os/event.h"

namespace verbcast {

/// Media on a descriptor, in a recognised format.
struct PipedMedia {
    int descriptor = -1;  ///< the caller's
    std::string name;     ///< "stdin", for messages
    const AVInputFormat* format = nullptr;
    std::vector<std::uint8_t> head;  ///< already read from the descriptor
};

/// Examines the beginning of a descriptor's data. Used by one thread.
class StreamHead {
  public:
    /// The descriptor stays the caller's. `cancel` (may be null) ends waits for data.
    StreamHead(int descriptor, std::string name, const Event* cancel)
        : descriptor_(descriptor), name_(std::move(name)), cancel_(cancel) {}

    /// Whether it starts like y4m or NUT, as no picture does. Waits for some 30 bytes. Throws Error{Input}.
    bool namesItself();

    /// Detects the format with FFmpeg. Waits for as much data as that takes, at most 1 MiB. Throws
    /// Error{Usage} if FFmpeg does not know it, Error{Input} if reading fails or was cancelled.
    PipedMedia recognise();

    /// The bytes read so far; empty for a regular file, which is rewound instead.
    std::vector<std::uint8_t> take();

  private:
    bool readMore();

    int descriptor_;
    std::string name_;
    const Event* cancel_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace verbcast
