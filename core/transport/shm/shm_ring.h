// One direction of an shm channel: a ring of records in memory that both processes map.
//
// The producer makes the memory (a memfd, sealed against resizing) and passes it once; from then on a record
// costs no system call. Positions are bytes since the beginning and only grow. Each side keeps its own
// position in its own memory and publishes it; what it reads of the other side's is hostile until checked,
// and a record is copied out before anything in it is believed.
//
// Sleeping: the consumer says in `consumerSleep` how it sleeps and looks at the ring once more before it
// does; the producer publishes a record and then looks at that word. Both put a full fence between the two,
// so one of them sees the other. Who takes the word away (the producer) wakes the consumer: on the word
// itself, by a futex, or, when it must wait for other things besides, with a doorbell, a packet on the
// channel's socket, which takes several microseconds longer. The same holds with the roles exchanged for
// `producerWaits` and room in a full ring, always by doorbell.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/unique_fd.h"

namespace verbcast::shm {

/// How the consumer of a ring is to be woken.
enum class Sleep : std::uint32_t { Awake = 0, OnSocket = 1, OnRing = 2 };

/// The first page of the ring's memory. What one side writes for each record and the other looks at rarely
/// has a cache line of its own, so that it need not travel between processors.
struct RingHeader {
    alignas(64) std::atomic<std::uint64_t> written;  ///< by the producer; the consumer waits for it
    std::atomic<std::uint32_t> producerWaits;        ///< for room
    alignas(64) std::atomic<std::uint64_t> read;     ///< by the consumer; of interest when there is no room
    alignas(64) std::atomic<std::uint32_t> consumerSleep;  ///< a Sleep
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

inline constexpr std::size_t kRingBytes = 256 << 10;  ///< records; a power of two
inline constexpr std::size_t kRingHeaderBytes = 4096;

/// The memory of a ring, mapped for reading and writing by both sides.
class RingMemory {
  public:
    RingMemory() = default;
    /// New and zero. Throws Error{Resource}.
    static RingMemory create();
    /// A peer's. Throws Error{Peer} when it is smaller than announced or could shrink.
    static RingMemory map(UniqueFd memfd);
    RingMemory(RingMemory&& other) noexcept;
    RingMemory& operator=(RingMemory&& other) noexcept;
    ~RingMemory();

    explicit operator bool() const { return base_ != nullptr; }
    int descriptor() const { return fd_.get(); }
    RingHeader& header() const { return *reinterpret_cast<RingHeader*>(base_); }
    std::byte* data() const { return base_ + kRingHeaderBytes; }

  private:
    void mapDescriptor();

    UniqueFd fd_;
    std::byte* base_ = nullptr;
};

/// Writes records into a ring of our own. Thread-bound.
class RingProducer {
  public:
    RingProducer() : memory_(RingMemory::create()) {}

    int descriptor() const { return memory_.descriptor(); }
    /// False when there is no room for the record (its parts, one after the other, at most kRingBytes / 2)
    /// now. Throws Error{Peer} when the peer's position is impossible.
    bool write(std::span<const std::span<const std::byte>> parts);
    /// After writing: wakes the consumer if it sleeps on the ring. True when it sleeps on the socket and must
    /// be rung, at most once per sleep.
    bool wakeConsumer() noexcept;
    bool consumerSleeps() const noexcept { return memory_.header().consumerSleep.load() != 0; }
    /// The doorbell is wanted when there is room again. False when there is room already.
    bool waitForRoom() noexcept;

  private:
    bool hasRoom(std::uint64_t bytes);

    RingMemory memory_;
    std::uint64_t written_ = 0;
    std::uint64_t read_ = 0;  // the consumer's position when it was last looked at
};

/// Reads records from the peer's ring. Thread-bound but for wait() and rouse().
class RingConsumer {
  public:
    explicit operator bool() const { return static_cast<bool>(memory_); }
    void attach(RingMemory memory) { memory_ = std::move(memory); }

    /// The next record, copied into `buffer`: its bytes; empty when there is none. Throws Error{Peer} for a
    /// record that is empty, larger than the buffer or larger than what was written.
    std::span<const std::byte> read(std::span<std::byte> buffer);
    bool empty() const noexcept { return !memory_ || written() == read_; }
    /// After reading: the producer waits for the room and must be rung.
    bool takeProducerWaits() noexcept;
    /// To be woken in this way when a record comes. False when there is one already.
    bool sleep(Sleep how) noexcept;
    void wakeUp() noexcept;
    /// After sleep(OnRing): until a record comes, rouse() or the timeout. May return early.
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
