// The UDP sockets of a group: one that sends into it, one that receives from it.
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/os/deadline.h"
#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"
#include "core/transport/epoll_set.h"
#include "core/transport/multicast/datagram.h"
#include "core/transport/multicast/group_address.h"
#include "core/transport/multicast/group_port.h"

namespace verbcast::multicast {

/// Sends by UDP. Thread-bound.
class GroupSender final : public GroupPort {
  public:
    /// Throws Error{Network, Resource} with a remedy. `ttl`: as in GroupAddress.
    GroupSender(const GroupAddress& address, const GroupInterface& interface, int ttl);

    sockaddr_in source() const;
    Sent sendOne(std::span<const std::byte> datagram);

    std::string describe() const override { return "UDP"; }
    GroupOrigin origin() const override;
    std::size_t datagramBytes() const override { return datagramBytes_; }
    std::size_t overheadBytes() const override { return kPacketOverhead; }
    /// One packet's worth, which the kernel segments.
    std::size_t burstBytes() const override { return 62'000; }
    std::uint64_t bitRate() const override { return bitRate_; }
    Sent send(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes) override;
    std::string whyLost() const override;
    int roomDescriptor() const override { return room_.descriptor(); }
    /// For a kernel that does the pacing (the fq scheduler).
    void setPace(std::uint64_t bytesPerSecond) override;

  private:
    Sent sendSingly(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes);
    Sent outcomeOf(int code);

    /// IPv4 and UDP headers.
    static constexpr std::size_t kPacketOverhead = 28;

    const UniqueFd socket_;
    EpollSet room_{"a multicast group"};  // readable while the socket has room
    const std::size_t datagramBytes_;
    const std::uint64_t bitRate_;
    bool segments_ = true;
    int lostBy_ = 0;  // errno
};

/// An IPv4 address and a UDP port.
GroupOrigin originOf(const sockaddr_in& address);

/// A socket that receives from the group. With `source`, only what comes from that address. Throws
/// Error{Network, Resource} with a remedy.
UniqueFd joinGroup(const GroupAddress& address, const GroupInterface& interface,
                   std::optional<in_addr> source = std::nullopt);

/// From now on several datagrams of one size may arrive as one message, if the kernel supports it (UDP_GRO).
void takeMerged(int socket);

/// The same, for the group's beacons only: not for its frames.
UniqueFd joinForBeacons(const GroupAddress& address, const GroupInterface& interface);

/// Somebody says that a stream is sent into a group.
struct FoundSender {
    Beacon beacon;
    sockaddr_in from{};                 ///< where the datagram seems to come from
    std::vector<std::byte> datagram{};  ///< all of it
};

/// Waits for a beacon of another stream than `own`. Anybody can send one. Returns nothing by the deadline or
/// once `cancel`, which may be null, is set.
std::optional<FoundSender> hearBeacon(int socket, std::uint64_t own, Deadline deadline, const Event* cancel);

inline constexpr std::chrono::milliseconds kBeaconInterval{200};

}  // namespace verbcast::multicast
