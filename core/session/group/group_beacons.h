// Announces a sender in its group, and listens for other senders there.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "core/base/unique_fd.h"
#include "core/transport/multicast/group_socket.h"

namespace verbcast {

/// Uses UDP, however frames travel: every network that carries them has it. Thread-bound, except where noted.
class GroupBeacons {
  public:
    /// Listens for half a second whether somebody else sends to the group. Throws Error{Network} with a
    /// remedy if so, or if the interface or group cannot be used. `stream`: any number that identifies our
    /// frames.
    GroupBeacons(const multicast::GroupAddress& address, const multicast::GroupInterface& interface, int ttl,
                 std::uint64_t stream, const std::string& name);

    /// From now on announces that sessions are at this port. Thread-safe.
    void announce(std::uint16_t port) { port_ = port; }
    bool announced() const { return port_ != 0; }
    void say() { say(false); }
    /// Readable when other senders have said something.
    int descriptor() const { return ear_.get(); }
    /// Warns about them.
    void hearOthers();

  private:
    void say(bool asks);
    void refuseIfInUse(const std::string& interface);

    const multicast::GroupAddress address_;
    const std::uint64_t stream_;
    const std::string name_;
    multicast::GroupSender sender_;
    const UniqueFd ear_;
    std::atomic<std::uint16_t> port_{0};
};

}  // namespace verbcast
