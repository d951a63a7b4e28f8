// Tells of a group that nothing leaves to any more.
#pragma once

#include <string>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/base/os/clock.h"
#include "core/transport/multicast/group_port.h"

namespace verbcast {

/// Some lost datagrams are the network's affair, and repaired; that all are lost is the user's. Thread-bound.
class UnsentWarning {
  public:
    /// `what` is sent to `group`: "frames".
    UnsentWarning(std::string what, std::string group) : what_(std::move(what)), group_(std::move(group)) {}

    /// Call after each send() of that port. Warns once, until something leaves again.
    void note(multicast::GroupPort::Sent sent, const multicast::GroupPort& port, TimestampNs now) {
        using Sent = multicast::GroupPort::Sent;
        if (sent == Sent::Yes) {
            lostSince_ = 0;
            warned_ = false;
        } else if (sent == Sent::Lost) {
            lostSince_ = lostSince_ == 0 ? now : lostSince_;
            if (now - lostSince_ >= kPatience && !std::exchange(warned_, true)) {
                warnOfPeer(LogCategory::Stream, "group not sent", group_,
                           "multicast: no {} leave to {} by {}: {}", what_, group_, port.describe(),
                           port.whyLost());
            }
        }
    }

  private:
    static constexpr TimestampNs kPatience = 100'000'000;

    const std::string what_, group_;
    TimestampNs lostSince_ = 0;  // 0: the last one left
    bool warned_ = false;
};

}  // namespace verbcast
