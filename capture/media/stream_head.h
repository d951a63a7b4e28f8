// The first bytes of a pipe: whether they say what follows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "core/base/event.h"

namespace verbcast {

/// Media on a descriptor, of a format that has been recognised.
struct PipedMedia {
    int descriptor = -1;  ///< the caller's
    std::string name;     ///< "stdin", for messages
    const AVInputFormat* format = nullptr;
    std::vector<std::uint8_t> head;  ///< taken out of the descriptor already
};

/// Looks at the beginning of what a descriptor gives. Used by one thread.
class StreamHead {
  public:
    /// The descriptor stays the caller's. `cancel` (may be null) ends waits for data.
    StreamHead(int descriptor, std::string name, const Event* cancel)
        : descriptor_(descriptor), name_(std::move(name)), cancel_(cancel) {}

    /// Whether it begins as y4m or NUT, which no picture does. Waits for some 30 bytes. Throws Error{Input}.
    bool namesItself();

    /// What FFmpeg makes of it. Waits for as much as it takes, at most 1 MiB. Throws Error{Usage} when it is
    /// nothing that FFmpeg knows, Error{Input} when reading fails or was cancelled.
    PipedMedia recognise();

    /// What has been taken out of the descriptor; nothing of a regular file, which begins anew.
    std::vector<std::uint8_t> take();

  private:
    bool readMore();

    int descriptor_;
    std::string name_;
    const Event* cancel_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace verbcast
