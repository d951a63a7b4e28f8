// Reads a file past the page cache, several blocks at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"
#include "core/memory/frame_pool.h"

namespace verbcast {

/// For a file that is not in the page cache: the device writes straight into the slots (O_DIRECT), where
/// read() would fill pages first and then copy them. Blocking reads run on threads of their own, so that the
/// device always has some to work on. Owned by one thread.
class DirectReader {
  public:
    /// Lengths and offsets of reads are multiples of this. Reading from a device with larger sectors fails.
    static constexpr std::uint64_t kAlignment = 4096;

    /// Null if the file cannot be opened that way, or no thread can be started. `done` is notified when a
    /// read ends; it outlives this object.
    static std::unique_ptr<DirectReader> open(int descriptor, ArmedEvent& done);
    /// Waits for reads in flight.
    ~DirectReader();
    DirectReader(const DirectReader&) = delete;
    DirectReader& operator=(const DirectReader&) = delete;

    /// Whether `bytes` bytes from `offset` on seem to be in the page cache, judging by two of their pages;
    /// also true for a range past the end. For files that we neither own nor may write, the kernel claims
    /// that all of them is cached.
    bool isCached(std::uint64_t offset, std::uint64_t bytes) const;

    struct Block {
        FrameLease lease;
        std::size_t bytes = 0;  ///< fewer than wanted: the file ends there, or the read failed
    };
    /// Reads `wanted` bytes at `offset`, both multiples of kAlignment, into the slot.
    void begin(FrameLease lease, std::size_t wanted, std::uint64_t offset);
    /// Reads begun and not yet taken.
    std::size_t pending() const;
    /// The oldest read, once it is done.
    std::optional<Block> take();

  private:
    struct Request {
        Block block;
        std::size_t wanted = 0;
        std::uint64_t offset = 0;
        enum class State { Waiting, Reading, Done } state = State::Waiting;
    };

    DirectReader(UniqueFd file, void* mapping, std::uint64_t size, ArmedEvent& done);
    void addReader();
    void work(const std::stop_token& stop);
    Request* nextWaiting();
    void read(Request& request) const;

    const UniqueFd file_;
    std::byte* const mapping_;  // maps the whole file: never touched, only queried
    const std::uint64_t size_;
    ArmedEvent& done_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Request> requests_;       // guarded by mutex_, except one being read: that is its reader's
    std::vector<std::jthread> readers_;  // last: they use everything above
};

}  // namespace verbcast
