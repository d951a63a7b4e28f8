// What a sender needs from the network to send into a group, and what a viewer needs that receives it other
// than by a socket. Two kinds: UDP (group_socket.h), and unreliable RDMA datagrams
// (core/transport/rdma/ud_group.h).
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace verbcast::multicast {

/// Who sent a datagram, according to the network.
struct GroupOrigin {
    std::array<std::byte, 16> address{};  ///< IPv4: mapped to IPv6; RDMA: a GID
    std::uint32_t number = 0;             ///< the UDP port, or the queue pair
    friend bool operator==(const GroupOrigin&, const GroupOrigin&) = default;
};

/// Sends batches of equally sized datagrams. Thread-bound once made; const functions are safe from any
/// thread.
class GroupPort {
  public:
    GroupPort() = default;
    virtual ~GroupPort() = default;
    GroupPort(const GroupPort&) = delete;
    GroupPort& operator=(const GroupPort&) = delete;

    virtual std::string describe() const = 0;  ///< "UDP", "RDMA, rxe0 port 1, MTU 4096"
    virtual GroupOrigin origin() const = 0;    ///< our end, as receivers see it
    /// The network's name for the group, if it is not its address.
    virtual std::array<std::byte, 16> group() const { return {}; }
    virtual std::size_t datagramBytes() const = 0;  ///< maximum size
    virtual std::size_t overheadBytes() const = 0;  ///< added by the network to each datagram
    virtual std::size_t burstBytes() const = 0;     ///< maximum bytes per send()
    virtual std::uint64_t bitRate() const = 0;      ///< per second; 0: unknown

    enum class Sent {
        Yes,
        Later,  ///< no room: wait for it
        Lost,   ///< the network is down or refuses it: treat as lost in transit
    };
    /// Sends the datagrams that lie in `pieces` one after the other, each of `datagramBytes` except a shorter
    /// last one: at most burstBytes() and kMaxBurst of them. They are read only during the call.
    virtual Sent send(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes) = 0;
    /// Why the last send() was Lost.
    virtual std::string whyLost() const { return failure(); }
    /// After Later and awaitRoom(): readable once there may be room.
    virtual int roomDescriptor() const = 0;
    /// False if there already is room.
    virtual bool awaitRoom() { return true; }
    /// For networks that do their own pacing, in bytes per second.
    virtual void setPace(std::uint64_t /*bytesPerSecond*/) {}

    /// Readable when there is something for takeEvents(); negative: never.
    virtual int eventDescriptor() const { return -1; }
    virtual void takeEvents() {}
    /// Why nothing can be sent any more; empty while sending works.
    virtual const std::string& failure() const {
        static const std::string none;
        return none;
    }

    static constexpr std::size_t kMaxBurst = 60;
};

/// A received datagram. Nothing in it has been checked.
struct GroupDatagram {
    std::span<const std::byte> bytes;
    GroupOrigin from;
};

/// Receives from a group, with its own memory for incoming datagrams. Thread-bound.
class GroupReceiver {
  public:
    GroupReceiver() = default;
    virtual ~GroupReceiver() = default;
    GroupReceiver(const GroupReceiver&) = delete;
    GroupReceiver& operator=(const GroupReceiver&) = delete;

    virtual std::string describe() const = 0;             ///< "rxe0 port 1, MTU 4096"
    virtual std::array<std::byte, 16> group() const = 0;  ///< the network's name for it
    virtual std::size_t datagramBytes() const = 0;        ///< maximum size
    virtual std::uint64_t bitRate() const = 0;            ///< per second; 0: unknown

    /// Takes received datagrams; they stay valid until giveBack(), which must precede the next take().
    virtual std::size_t take(std::span<GroupDatagram> into) = 0;
    virtual void giveBack() = 0;
    /// The descriptors to sleep on, all of them, after arm() and one more take() that returned nothing.
    virtual std::array<int, 2> descriptors() const = 0;
    /// False: something may already have arrived.
    virtual bool arm() = 0;
    /// Why nothing arrives any more; empty while something may.
    virtual const std::string& failure() const = 0;
};

}  // namespace verbcast::multicast
