// One direction of an shm channel: a ring of records in memory that both processes map.
//
// The producer creates the memory (a memfd, sealed against resizing) and passes it once; from then on a
// record costs no system call. Positions are byte counts since the beginning and only grow. Each side keeps
// its own position in private memory and publishes it; what it reads of the other side's is hostile until
// checked, and a record is copied out before anything in it is trusted.
//
// Sleeping: the consumer announces in `consumerSleep` how it sleeps and checks the ring once more before it
// does; the producer publishes a record and then checks that word. Both put a full fence in between, so at
// least one sees the other. The producer, which clears the word, wakes the consumer: on the word itself, by a
// futex, or, if the consumer must wait for other things as well, with a doorbell, a packet on the channel's
// socket, which takes several microseconds longer. The same holds with the roles swapped for `producerWaits`
// and room in a full ring, always by doorbell.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/os/clock.h"
#include "core/base/os/unique_fd.h"

namespace verbcast::shm {

/// How to wake the consumer of a ring.
enum class Sleep : std::uint32_t { Awake = 0, OnSocket = 1, OnRing = 2 };

/// The first page of the ring's memory. What one side writes for each record and the other rarely reads has
/// its own cache line, so that it need not travel between processors.
struct RingHeader {
    alignas(64) std::atomic<std::uint64_t> written;  ///< by the producer; the consumer waits for it
    std::atomic<std::uint32_t> producerWaits;        ///< for room
    std::atomic<std::int64_t> frameDue;              ///< when the producer will write its next frame, or 0
    alignas(64) std::atomic<std::uint64_t> read;     ///< by the consumer; matters only when there is no room
    alignas(64) std::atomic<std::uint32_t> consumerSleep;  ///< a Sleep value
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

inline constexpr std::size_t kRingBytes = 256 << 10;  ///< records; a power of two
inline constexpr std::size_t kRingHeaderBytes = 4096;

/// The memory of a ring, mapped for reading and writing by both sides.
class RingMemory {
  public:
    RingMemory() = default;
    /// New and zeroed. Throws Error{Resource}.
    static RingMemory create();
    /// Maps a peer's. Throws Error{Peer} if it is smaller than announced or could shrink.
    static RingMemory map(UniqueFd memfd);

    explicit operator bool() const { return base_ != nullptr; }
    int descriptor() const { return fd_.get(); }
    RingHeader& header() const { return *reinterpret_cast<RingHeader*>(base_.get()); }
    std::byte* data() const { return base_.get() + kRingHeaderBytes; }

  private:
    struct Unmap {
        void operator()(std::byte* base) const;
    };
    explicit RingMemory(UniqueFd memfd);

    UniqueFd fd_;
    std::unique_ptr<std::byte, Unmap> base_;
};

/// Writes records into a ring of our own. Thread-bound.
class RingProducer {
  public:
    RingProducer() : memory_(RingMemory::create()) {}

    int descriptor() const { return memory_.descriptor(); }
    /// Writes a record (its parts, one after the other, at most kRingBytes / 2). False if there is no room
    /// for it now. Throws Error{Peer} if the peer's position is impossible.
    bool write(std::span<const std::span<const std::byte>> parts);
    /// A frame will follow at that time: wakes a consumer that sleeps on the ring, and loads what the next
    /// write() uses into the caches.
    void expect(TimestampNs due) noexcept;
    /// Call after writing: wakes the consumer if it sleeps on the ring. True if it sleeps on the socket and
    /// must be rung, at most once per sleep.
    bool wakeConsumer() noexcept;
    /// Asks for the doorbell when there is room again. False if there already is.
    bool waitForRoom() noexcept;

  private:
    bool hasRoom(std::uint64_t bytes);

    RingMemory memory_;
    std::uint64_t written_ = 0;
    std::uint64_t read_ = 0;  // the consumer's position when last checked
};

/// Reads records from the peer's ring. Thread-bound except wait() and rouse().
class RingConsumer {
  public:
    explicit operator bool() const { return static_cast<bool>(memory_); }
    void attach(RingMemory memory) { memory_ = std::move(memory); }

    /// The next record, copied into `buffer`; empty if there is none. Throws Error{Peer} for a record that is
    /// empty, larger than the buffer or larger than what was written.
    std::span<const std::byte> read(std::span<std::byte> buffer);
    bool empty() const noexcept { return !memory_ || written() == read_; }
    /// What the producer said last with expect(); 0 if it said nothing.
    TimestampNs frameDue() const noexcept {
        return memory_ ? memory_.header().frameDue.load(std::memory_order_relaxed) : 0;
    }
    /// Call after reading: true if the producer waits for the room and must be rung.
    bool takeProducerWaits() noexcept;
    /// Asks to be woken in this way when a record arrives. False if there already is one.
    bool sleep(Sleep how) noexcept;
    void wakeUp() noexcept;
    /// After sleep(OnRing): sleeps until a record arrives, rouse() or the timeout. May return early.
    void wait(std::chrono::nanoseconds timeout) const noexcept;
    /// Ends the sleep from within this process.
    void rouse() noexcept;

  private:
    std::uint64_t written() const noexcept {
        return memory_.header().written.load(std::memory_order_acquire);
    }
    void copyOut(std::uint64_t position, std::span<std::byte> target) const;

    RingMemory memory_;
    std::uint64_t read_ = 0;
};

}  // namespace verbcast::shm
