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

#include "core/base/os/unique_fd.h"
#include "core/memory/memory.h"

namespace verbcast::shm {

/// Kinds of packets. Each is {kind, ring}; a Ring carries one descriptor, Buffers 1 to kMaxBuffers, a Memory
/// two to 1 + kMaxDeathSockets, a Doorbell none.
enum class PacketKind : std::uint32_t {
    Ring = 0x56430101,      ///< sent first: the memory of the sender's ring of records
    Memory = 0x56430202,    ///< of the ring of frames that a session message will offer; peer-death sockets
    Buffers = 0x56430104,   ///< the dma-bufs of the Memory that follows, in order; its own descriptor repeats
                            ///< the first of them
    Doorbell = 0x56430103,  ///< there is something in the ring of records, or room in it
};

/// The memory of a ring of frames in transit. A peer-death socket is one end of a socket, which the peer
/// keeps open for as long as it maps the memory (see FramePool::mapPeer()): the other end notices when that
/// is over, however it ends. The first is ours; a relay adds those of the memory that it was passed itself.
struct PassedMemory {
    UniqueFd memory;
    std::vector<UniqueFd> buffers{};  ///< instead of the memory, if it consists of dma-bufs
    std::vector<UniqueFd> deathSockets;
};

/// A viewer behind a longer chain of relays does not hear from those farthest away.
inline constexpr std::size_t kMaxDeathSockets = 4;

/// dma-bufs per memory. A camera's driver has at most 32 buffers.
inline constexpr std::size_t kMaxBuffers = 32;

/// Memories made of dma-bufs that may wait for accept(): each takes many descriptors.
inline constexpr std::size_t kMaxWaitingBuffers = 2;

/// Memories that may wait: ours until the socket has room for them, the peer's until accept() takes them.
/// More means a peer that does not read, or that passes memory without offering it.
inline constexpr std::size_t kMaxWaitingMemories = 16;

/// A connected SOCK_SEQPACKET socket. Thread-bound. Every descriptor received is owned at once, whatever came
/// with it.
class ShmSocket {
  public:
    explicit ShmSocket(UniqueFd socket) : socket_(std::move(socket)) {}

    int descriptor() const { return socket_.get(); }

    /// Passes the memory of a ring of frames once there is room: `descriptor`, if any, else the memory's own.
    /// Shared: kept alive until then. False if too many are waiting.
    bool pass(std::uint32_t ring, std::shared_ptr<const Memory> memory, UniqueFd descriptor,
              std::vector<UniqueFd> deathSockets);
    /// Sends what is queued, the descriptor of our ring of records first. True when all is sent.
    bool flush(int ringDescriptor) { return allSent() || sendQueued(ringDescriptor); }
    bool allSent() const { return ringSent_ && toSend_.empty(); }
    /// If the socket has no room, it is full of doorbells that have not been heard yet.
    void ringDoorbell() { static_cast<void>(send(PacketKind::Doorbell, 0, {})); }

    /// Reads packets up to the next doorbell: usually nothing is behind it but another one; if something is,
    /// the socket stays readable. Throws Error{Peer} for an impossible packet.
    void hear();
    /// The descriptor of the peer's ring of records, returned once, after it has arrived.
    std::optional<UniqueFd> takeRing() { return std::exchange(ring_, std::nullopt); }
    /// The memory of that ring of frames; discards any that came before it. Reads the socket if necessary: a
    /// message in the ring may overtake it. Empty if it has not been sent.
    PassedMemory takeMemory(std::uint32_t ring);
    /// Why nothing can arrive any more; empty while something can.
    const std::string& peerGone() const { return peerGone_; }
    /// Only then dma-bufs are passed, or accepted: see Memory::mapBuffers().
    bool peerIsSameUser() const;

    void hangUp() noexcept;

  private:
    bool sendQueued(int ringDescriptor);
    struct Outgoing {
        std::uint32_t ring;
        std::shared_ptr<const Memory> memory;
        UniqueFd descriptor;
        std::vector<UniqueFd> deathSockets;
        bool buffersSent = false;
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
    bool sendMemory(Outgoing& next);
    void takeBuffers(Packet packet);
    void takeMemoryOf(Packet packet);
    [[noreturn]] static void refuse(PacketKind kind);
    bool send(PacketKind kind, std::uint32_t ring, std::span<const int> descriptors) const;
    std::optional<Packet> receive();
    void take(Packet packet);

    UniqueFd socket_;
    bool ringSent_ = false;
    std::deque<Outgoing> toSend_;
    bool ringCame_ = false;
    std::optional<UniqueFd> ring_;
    std::deque<Incoming> memories_;
    std::optional<Packet> buffers_;  // of the next memory
    std::string peerGone_;
};

}  // namespace verbcast::shm
