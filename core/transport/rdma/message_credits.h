// How many messages may be in flight in each direction. Numbers count messages since the connection was made,
// modulo 2^32.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "core/base/error.h"
#include "core/transport/rdma/receive_ring.h"

namespace verbcast {

/// Session messages need a credit from the receiver; see kUncreditedReceives for all others. Thread-bound
/// with its connection.
class MessageCredits {
  public:
    void allow(std::uint32_t messages) { allowed_ = messages; }

    std::uint32_t left() const { return allowed_ - (sent_ - peerTook_); }
    /// More than half of them are left. (The peer reports what it has taken once that is half of the credits,
    /// so waiting for more could wait forever.)
    bool halfLeft() const { return left() > allowed_ / 2; }
    void countSent() { ++sent_; }
    /// The peer's report of how many it has taken. Throws Error{Peer} for more than were sent.
    void peerTook(std::uint32_t taken) {
        if (taken - peerTook_ > sent_ - peerTook_) {
            throw Error(ErrorKind::Peer,
                        fmt::format("the peer says it has taken {} messages, {} were sent", taken, sent_));
        }
        peerTook_ = taken;
    }

    void countTaken() { ++taken_; }
    std::uint32_t taken() const { return taken_; }
    std::uint32_t told() const { return told_; }
    void tell() { told_ = taken_; }
    /// The peer may be waiting: a message must be sent just to report.
    bool mustTell() const { return taken_ - told_ >= kMessageCredits / 2; }

  private:
    std::uint32_t allowed_ = 0;
    std::uint32_t sent_ = 0;
    std::uint32_t peerTook_ = 0;
    std::uint32_t taken_ = 0;
    std::uint32_t told_ = 0;
};

}  // namespace verbcast
