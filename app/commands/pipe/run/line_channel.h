// Exchanges lines with another process.
#pragma once

#include <optional>
#include <string>

#include "core/base/os/deadline.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Does not wait for the other process. Not thread-safe. If the other process is gone, sending does nothing
/// and receiving reports the end.
class LineChannel {
  public:
    LineChannel(UniqueFd reading, UniqueFd writing)
        : reading_(std::move(reading)), writing_(std::move(writing)) {}

    /// Readable if receive() has work. -1 after the end.
    int descriptor() const { return ended_ ? -1 : reading_.get(); }
    /// Reads some of what has come: the other process may write without end, and we have more to look at.
    /// What is left keeps descriptor() readable. An overlong line counts as the end.
    void receive();
    /// The next complete line, without its newline.
    std::optional<std::string> next();
    bool ended() const { return ended_; }

    /// What the other process does not take yet waits for flush().
    void send(const std::string& line);
    bool waitsToSend() const { return !unsent_.empty(); }
    /// Readable if flush() has work; -1 while nothing waits.
    int roomDescriptor() const { return waitsToSend() ? room_.get() : -1; }
    void flush();
    /// Waits until all is sent.
    void flush(Deadline deadline);
    /// The other side sees the end; its own lines can still be received. What waits is lost.
    void closeWriting();

  private:
    UniqueFd reading_, writing_;
    UniqueFd room_;  // an epoll for writing_; made when first something waits
    std::string received_, unsent_;
    bool ended_ = false;
};

}  // namespace verbcast
