// Announces a sender in its group, and listens for other senders there.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/os/unique_fd.h"
#include "core/multicast/unsent_warning.h"
#include "core/session/trust/session_key.h"
#include "core/transport/multicast/group_socket.h"

namespace verbcast {

/// Uses UDP, however frames travel: every network that carries them has it. Thread-bound, except where noted.
class GroupBeacons {
  public:
    /// Throws Error{Network} with a remedy if the interface or group cannot be used. `stream`: any number
    /// that identifies our frames. `key`: proves our beacons to viewers that have it; may be absent.
    GroupBeacons(const multicast::GroupAddress& address, const multicast::GroupInterface& interface, int ttl,
                 std::uint64_t stream, const std::string& name, const std::optional<SessionKey>& key);

    /// From now on announces that sessions are at this port. Thread-safe.
    void announce(std::uint16_t port) { port_ = port; }
    bool announced() const { return port_ != 0; }
    void say();
    /// Warns of others that announce a stream in the group. Anybody can, so that changes nothing here; what
    /// they say does not wake our thread either: call it when we announce ourselves.
    void hearOthers();

  private:
    const multicast::GroupAddress address_;
    const std::uint64_t stream_;
    const std::string name_;
    const std::optional<SessionKey> key_;
    multicast::GroupSender sender_;
    UnsentWarning unsent_;
    const UniqueFd ear_;
    std::atomic<std::uint16_t> port_{0};
};

}  // namespace verbcast
