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
#include "core/transport/multicast/group_port.h"

namespace verbcast::multicast {

/// Sends by UDP. Thread-bound.
class GroupSender final : public GroupPort {
  public:
    /// Throws Error{Network, Resource} with a remedy. `ttl`: routers on the way at most, and 1.
    GroupSender(const GroupAddress& address, const GroupInterface& interface, int ttl);

    /// Our end, as receivers see it.
    sockaddr_in source() const;
    Sent sendOne(std::span<const std::byte> datagram);

    std::string describe() const override { return "UDP"; }
    GroupOrigin origin() const override;
    std::size_t datagramBytes() const override { return datagramBytes_; }
    std::size_t overheadBytes() const override { return kPacketOverhead; }
    /// Of one packet, which the kernel cuts.
    std::size_t burstBytes() const override { return 62'000; }
    std::uint64_t bitRate() const override { return bitRate_; }
    Sent send(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes) override;
    int roomDescriptor() const override { return room_.get(); }
    /// For a kernel that paces by itself (the fq scheduler).
    void setPace(std::uint64_t bytesPerSecond) override;

  private:
    Sent sendSingly(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes);

    /// Of IPv4 and UDP.
    static constexpr std::size_t kPacketOverhead = 28;

    const UniqueFd socket_;
    const UniqueFd room_;  // readable while the socket takes more
    const std::size_t datagramBytes_;
    const std::uint64_t bitRate_;
    bool segments_ = true;
};

/// An IPv4 address and a UDP port.
GroupOrigin originOf(const sockaddr_in& address);

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
