// The two sockets to a peer and how they ended: what the channel and the path of a connection share.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/unique_fd.h"

namespace verbcast::tcp {

/// Thread-bound with the channel and the path that share it. The sockets stay open as long as it lives.
class TcpConnection {
  public:
    /// Both are connected, past their preambles and non-blocking.
    TcpConnection(UniqueFd control, UniqueFd data);

    int control() const { return control_.get(); }
    int data() const { return data_.get(); }

    bool ended() const { return !closeReason_.empty(); }
    const std::string& closeReason() const { return closeReason_; }
    /// No frame moves from now on; what the peer said last can still be read from control(). The first reason
    /// stays.
    void end(const std::string& reason);
    /// As end(), and hangs up control() too.
    void hangUp(const std::string& reason);

    void addReceived(std::uint64_t bytes) { bytesReceived_ += bytes; }
    std::uint64_t bytesReceived() const { return bytesReceived_; }

  private:
    UniqueFd control_;
    UniqueFd data_;
    std::string closeReason_;
    std::uint64_t bytesReceived_ = 0;
};

/// Why a recv() that gave `got`, with this errno, ended the connection; empty when it did not.
std::string receiveFailure(long got, int code);

}  // namespace verbcast::tcp
