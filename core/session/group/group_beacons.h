// What a sender says of itself into its group, and what it hears there of others.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "core/base/unique_fd.h"
#include "core/transport/multicast/group_socket.h"

namespace verbcast {

/// By UDP, however frames travel: every network that carries them has it. Thread-bound but for what is said
/// to be safe.
class GroupBeacons {
  public:
    /// Looks for half a second whether somebody else sends to the group. Throws Error{Network} with a remedy
    /// when so, or where the interface or group cannot be used. `stream`: of our frames, as any number.
    GroupBeacons(const multicast::GroupAddress& address, const multicast::GroupInterface& interface, int ttl,
                 std::uint64_t stream, const std::string& name);

    /// Where sessions are, from now on. Safe from any thread.
    void announce(std::uint16_t port) { port_ = port; }
    bool announced() const { return port_ != 0; }
    void say() { say(false); }
    /// Readable when others have said something.
    int descriptor() const { return ear_.get(); }
    /// Warns of them.
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
