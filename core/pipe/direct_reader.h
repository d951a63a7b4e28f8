// Reading a file past the page cache, several blocks at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/event.h"
#include "core/base/unique_fd.h"
#include "core/memory/frame_pool.h"

namespace verbcast {

/// For a file that is not in the page cache: the device writes into the slots themselves (O_DIRECT), where
/// read() would fill pages first and copy them. Reads that wait are on threads of their own, so that there
/// are always some for the device to do. One thread owns it.
class DirectReader {
  public:
    /// What is read in one go is a multiple of this, and so is where. A device with larger sectors fails.
    static constexpr std::uint64_t kAlignment = 4096;

    /// Null where the file cannot be opened so, or there may be no more threads. `done` is notified when a
    /// read ends; it outlives this object.
    static std::unique_ptr<DirectReader> open(int descriptor, ArmedEvent& done);
    /// Waits for reads under way.
    ~DirectReader();
    DirectReader(const DirectReader&) = delete;
    DirectReader& operator=(const DirectReader&) = delete;

    /// Whether reading so many bytes from `offset` on would find them in the page cache: so it seems from two
    /// of their pages, and of what lies behind the end. Of files that we neither own nor may write the kernel
    /// says that all of them is there.
    bool isCached(std::uint64_t offset, std::uint64_t bytes) const;

    struct Block {
        FrameLease lease;
        std::size_t bytes = 0;  ///< fewer than wanted: the file ends there, or reading fails
    };
    /// Reads `wanted` bytes at `offset`, both multiples of kAlignment, into the slot.
    void begin(FrameLease lease, std::size_t wanted, std::uint64_t offset);
    /// Begun and not yet taken.
    std::size_t pending() const;
    /// Whether take() has one: the oldest has been read.
    bool ready() const;
    Block take();

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
    std::byte* const mapping_;  // of the whole file: never touched, only asked about
    const std::uint64_t size_;
    ArmedEvent& done_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Request> requests_;       // guarded by mutex_; one that is being read is its reader's
    std::vector<std::jthread> readers_;  // last: they use everything above
};

}  // namespace verbcast
