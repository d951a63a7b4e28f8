// Lines to and from another process.
#pragma once

#include <optional>
#include <string>

#include "core/base/unique_fd.h"

namespace verbcast {

/// Used by one thread. The other process may have gone: then sending does nothing, and receiving says so.
class LineChannel {
  public:
    LineChannel(UniqueFd reading, UniqueFd writing)
        : reading_(std::move(reading)), writing_(std::move(writing)) {}

    /// Readable when receive() has something to do. -1 after the end.
    int descriptor() const { return ended_ ? -1 : reading_.get(); }
    /// Reads what has come, without blocking. A line without an end that fills memory is the end.
    void receive();
    /// The next whole line, without its end.
    std::optional<std::string> next();
    bool ended() const { return ended_; }

    void send(const std::string& line);
    /// The other side sees an end; what it says may still be received.
    void closeWriting() { writing_.reset(); }

  private:
    UniqueFd reading_, writing_;
    std::string received_;
    bool ended_ = false;
};

}  // namespace verbcast
