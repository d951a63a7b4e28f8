// What a sender needs of the network to send into a group, and what a viewer needs that hears it by other
// means than a socket. Two kinds: UDP (group_socket.h), and unreliable datagrams of RDMA
// (core/transport/rdma/ud_group.h).
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace verbcast::multicast {

/// Who sent a datagram, as the network says.
struct GroupOrigin {
    std::array<std::byte, 16> address{};  ///< IPv4: mapped to IPv6; RDMA: a GID
    std::uint32_t number = 0;             ///< the UDP port, or the queue pair
    friend bool operator==(const GroupOrigin&, const GroupOrigin&) = default;
};

/// Sends datagrams of one size each, many with one call. Thread-bound, once made; what is const is safe from
/// any thread.
class GroupPort {
  public:
    GroupPort() = default;
    virtual ~GroupPort() = default;
    GroupPort(const GroupPort&) = delete;
    GroupPort& operator=(const GroupPort&) = delete;

    virtual std::string describe() const = 0;  ///< "UDP", "RDMA, rxe0 port 1, MTU 4096"
    virtual GroupOrigin origin() const = 0;    ///< our end, as receivers see it
    /// What its network calls the group, where that is not its address.
    virtual std::array<std::byte, 16> group() const { return {}; }
    virtual std::size_t datagramBytes() const = 0;  ///< of one at most
    virtual std::size_t overheadBytes() const = 0;  ///< that the network adds to each
    virtual std::size_t burstBytes() const = 0;     ///< that one send() takes at most
    virtual std::uint64_t bitRate() const = 0;      ///< per second; 0: unknown

    enum class Sent {
        Yes,
        Later,  ///< no room: wait for it
        Lost,   ///< the network is down, or refuses: as if it had been lost on the way
    };
    /// Datagrams that lie in `pieces` one behind the other, each of `datagramBytes` but for a shorter last
    /// one: at most burstBytes() and kMaxBurst of them. They are read during the call only.
    virtual Sent send(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes) = 0;
    /// Readable, after Later and awaitRoom(), once there may be room.
    virtual int roomDescriptor() const = 0;
    /// False when there is room already.
    virtual bool awaitRoom() { return true; }
    /// For networks that pace by themselves, bytes per second.
    virtual void setPace(std::uint64_t /*bytesPerSecond*/) {}

    /// Readable when there is something for takeEvents(); negative: never.
    virtual int eventDescriptor() const { return -1; }
    virtual void takeEvents() {}
    /// Why nothing can be sent any more; empty while it can.
    virtual const std::string& failure() const {
        static const std::string none;
        return none;
    }

    static constexpr std::size_t kMaxBurst = 60;
};

/// A datagram that has come. Nothing of it has been checked.
struct GroupDatagram {
    std::span<const std::byte> bytes;
    GroupOrigin from;
};

/// Hears a group, with memory of its own for what comes. Thread-bound.
class GroupReceiver {
  public:
    GroupReceiver() = default;
    virtual ~GroupReceiver() = default;
    GroupReceiver(const GroupReceiver&) = delete;
    GroupReceiver& operator=(const GroupReceiver&) = delete;

    virtual std::string describe() const = 0;             ///< "rxe0 port 1, MTU 4096"
    virtual std::array<std::byte, 16> group() const = 0;  ///< as its network calls it
    virtual std::size_t datagramBytes() const = 0;        ///< of one at most
    virtual std::uint64_t bitRate() const = 0;            ///< per second; 0: unknown

    /// Takes what has come; it stays until giveBack(), before the next take().
    virtual std::size_t take(std::span<GroupDatagram> into) = 0;
    virtual void giveBack() = 0;
    /// What to sleep on, all of them, after arm() and one more take() that gave nothing.
    virtual std::array<int, 2> descriptors() const = 0;
    /// False: something may have come already.
    virtual bool arm() = 0;
    /// Why nothing comes any more; empty while it may.
    virtual const std::string& failure() const = 0;
};

}  // namespace verbcast::multicast
