// The UDP sockets of a group: one that sends into it, one that hears it.
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/event.h"
#include "core/base/unique_fd.h"
#include "core/transport/multicast/datagram.h"
#include "core/transport/multicast/group_address.h"

namespace verbcast::multicast {

/// Sends datagrams of one size each, many with one call. Thread-bound.
class GroupSender {
  public:
    /// Throws Error{Network, Resource} with a remedy. `ttl`: routers on the way at most, and 1.
    GroupSender(const GroupAddress& address, const GroupInterface& interface, int ttl);

    int descriptor() const { return socket_.get(); }
    /// Our end, as receivers see it.
    sockaddr_in source() const;

    enum class Sent {
        Yes,
        Later,  ///< no room: wait until descriptor() takes more
        Lost,   ///< the network is down, or refuses: as if it had been lost on the way
    };
    /// Datagrams that lie in `pieces` one behind the other, each of `datagramBytes` but for a shorter last
    /// one: at most kMaxBurstBytes and kMaxBurst of them.
    Sent send(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes);
    Sent sendOne(std::span<const std::byte> datagram);
    /// For a kernel that paces by itself (the fq scheduler), bytes per second.
    void setPace(std::uint64_t bytesPerSecond);

    static constexpr std::size_t kMaxBurst = 60;
    static constexpr std::size_t kMaxBurstBytes = 62'000;

  private:
    Sent sendSingly(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes);

    UniqueFd socket_;
    bool segments_ = true;
};

/// A socket that hears the group. With `source`, only what comes from that address. Throws Error{Network,
/// Resource} with a remedy.
UniqueFd joinGroup(const GroupAddress& address, const GroupInterface& interface,
                   std::optional<in_addr> source = std::nullopt);

/// Several datagrams of one size may come as one message from now on, where the kernel can (UDP_GRO).
void takeMerged(int socket);

/// Who sends a stream into a group.
struct FoundSender {
    Beacon beacon;
    sockaddr_in from{};
};

/// Waits for a beacon of a stream that is being sent, other than `own` (with `asking`, also one that is only
/// about to be); nothing by the deadline or once `cancel`, which may be null, is set.
std::optional<FoundSender> hearBeacon(int socket, std::uint64_t own, bool asking, Deadline deadline,
                                      const Event* cancel);

/// Beacons are said so often.
inline constexpr std::chrono::milliseconds kBeaconInterval{200};

/// "10.0.0.2"
std::string hostText(in_addr address);

}  // namespace verbcast::multicast
