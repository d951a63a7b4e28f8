// The two sockets to a peer and how they ended: shared by the channel and the path of a connection.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/os/unique_fd.h"

namespace verbcast::tcp {

/// Thread-bound with the channel and path that share it. The sockets stay open as long as it lives.
class TcpConnection {
  public:
    /// Both sockets are connected and past their preambles. Reading data() without MSG_DONTWAIT blocks for
    /// two ticks of the kernel at most: 8 ms at 250 Hz.
    TcpConnection(UniqueFd control, UniqueFd data);

    int control() const { return control_.get(); }
    int data() const { return data_.get(); }

    bool ended() const { return !closeReason_.empty(); }
    const std::string& closeReason() const { return closeReason_; }
    /// No more frames move; what the peer said last stays readable. The first reason is kept.
    void end(const std::string& reason);
    /// Like end(), but also hangs up control().
    void hangUp(const std::string& reason);

    void addReceived(std::uint64_t bytes) { bytesReceived_ += bytes; }
    /// A piece of payload has been read, and more of it is coming fast.
    void noteFlow(bool fast) { flows_ = fast; }
    /// Whether that was so since the last call.
    bool takeFlow() { return std::exchange(flows_, false); }
    std::uint64_t bytesReceived() const { return bytesReceived_; }

  private:
    UniqueFd control_;
    UniqueFd data_;
    std::string closeReason_;
    std::uint64_t bytesReceived_ = 0;
    bool flows_ = false;
};

/// Why a recv() that returned `got`, with this errno, ended the connection; empty if it did not.
std::string receiveFailure(long got, int code);

}  // namespace verbcast::tcp
