// What an shm connection needs a Unix socket for: passing memory, waking a peer that sleeps on it, and
// noticing that the peer is gone.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/memory/memory.h"

namespace verbcast::shm {

/// What a packet is. Each is {kind, ring}; a Ring carries one descriptor, a Memory two to 1 + kMaxLifelines,
/// a Doorbell none.
enum class PacketKind : std::uint32_t {
    Ring = 0x56430101,      ///< first: the memory of the sender's ring of records
    Memory = 0x56430202,    ///< of the ring of frames that a message of the session will offer; lifelines
    Doorbell = 0x56430103,  ///< there is something in the ring of records, or room in it
};

/// The memory of a ring of frames on its way. A lifeline is an end of a socket, which the peer keeps open for
/// as long as it maps the memory (see FramePool::mapPeer()): the other end tells when that is over, however
/// it ends. The first is ours; a relay adds those of the memory that it was passed itself.
struct PassedMemory {
    UniqueFd memory;
    std::vector<UniqueFd> lifelines;
};

/// A viewer behind more relays in a row does not hear of those that are farthest away from it.
inline constexpr std::size_t kMaxLifelines = 4;

/// Memories that wait: here until the socket has room for them, or of the peer until accept() takes them.
/// More is a peer that does not read, or that offers without saying what.
inline constexpr std::size_t kMaxWaitingMemories = 16;

/// A connected SOCK_SEQPACKET socket. Thread-bound. Every descriptor that comes through it is owned at once,
/// whatever came with it.
class ShmSocket {
  public:
    explicit ShmSocket(UniqueFd socket) : socket_(std::move(socket)) {}

    int descriptor() const { return socket_.get(); }

    /// Passes a memory of frames once there is room. Shared: it lives until then. False when too many wait.
    bool pass(std::uint32_t ring, std::shared_ptr<const Memory> memory, std::vector<UniqueFd> lifelines);
    /// Sends what waits, the descriptor of our ring of records first. True when all is sent.
    bool flush(int ringDescriptor);
    bool allSent() const { return ringSent_ && toSend_.empty(); }
    /// A socket without room is full of doorbells that have not been heard yet.
    void ringDoorbell() { static_cast<void>(send(PacketKind::Doorbell, 0, {})); }

    /// Takes packets up to the next doorbell: mostly nothing waits behind it but another; if something does,
    /// the socket stays readable. Throws Error{Peer} for a packet that cannot be.
    void hear();
    /// The descriptor of the peer's ring of records, once after it has come.
    std::optional<UniqueFd> takeRing();
    /// The memory of that ring of frames, and none that came before it. Reads the socket if need be: a
    /// message in the ring may overtake it. Empty when it has not been sent.
    PassedMemory takeMemory(std::uint32_t ring);
    /// Why nothing can come any more; empty while something can.
    const std::string& peerGone() const { return peerGone_; }

    void hangUp() noexcept;

  private:
    struct Outgoing {
        std::uint32_t ring;
        std::shared_ptr<const Memory> memory;
        std::vector<UniqueFd> lifelines;
    };
    struct Incoming {
        std::uint32_t ring;
        PassedMemory passed;
    };
    struct Packet {
        PacketKind kind{};
        std::uint32_t ring = 0;
        std::vector<UniqueFd> descriptors;
    };
    bool send(PacketKind kind, std::uint32_t ring, std::span<const int> descriptors) const;
    std::optional<Packet> receive();
    void take(Packet packet);

    UniqueFd socket_;
    bool ringSent_ = false;
    std::deque<Outgoing> toSend_;
    bool ringCame_ = false;
    std::optional<UniqueFd> ring_;
    std::deque<Incoming> memories_;
    std::string peerGone_;
};

}  // namespace verbcast::shm
