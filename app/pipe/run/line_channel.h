// Exchanges lines with another process.
#pragma once

#include <optional>
#include <string>

#include "core/base/unique_fd.h"

namespace verbcast {

/// Not thread-safe. If the other process is gone, sending does nothing and receiving reports the end.
class LineChannel {
  public:
    LineChannel(UniqueFd reading, UniqueFd writing)
        : reading_(std::move(reading)), writing_(std::move(writing)) {}

    /// Readable if receive() has work. -1 after the end.
    int descriptor() const { return ended_ ? -1 : reading_.get(); }
    /// Reads some of what has come, without blocking: the other process may write without end, and we have
    /// more to look at. What is left keeps descriptor() readable. An overlong line counts as the end.
    void receive();
    /// The next complete line, without its newline.
    std::optional<std::string> next();
    bool ended() const { return ended_; }

    void send(const std::string& line);
    /// The other side sees the end; its own lines can still be received.
    void closeWriting() { writing_.reset(); }

  private:
    UniqueFd reading_, writing_;
    std::string received_;
    bool ended_ = false;
};

}  // namespace verbcast
