// The stream of a program's pictures, isolated from the program.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "app/preload/input_log.h"
#include "app/preload/repainter.h"
#include "app/preload/run_settings.h"
#include "capture/input_thread.h"
#include "core/stream/broadcast.h"
#include "core/stream/stats_stream.h"

namespace verbcast {

/// Everything that has a descriptor lives on our own thread and the threads that it starts, which have their
/// own descriptor table. So the program may close all of its descriptors, its files never get the number of
/// one of our sockets, and nothing that it forks or executes inherits one. Not with PictureMemory::Device:
/// then the table is shared, and a program that closes descriptors that are not its own breaks the stream. A
/// picture wakes that thread once.
///
/// Pools have descriptors, too, so they are created and destroyed here; leases may end anywhere.
class ProgramStream {
  public:
    /// Throws what Broadcast's constructor throws.
    explicit ProgramStream(const RunSettings& settings);
    ~ProgramStream();
    ProgramStream(const ProgramStream&) = delete;
    ProgramStream& operator=(const ProgramStream&) = delete;

    // For the thread that swaps. Calls that may block say so.

    const std::vector<std::string>& listenAddresses() const { return addresses_; }
    Repainter& repainter() const;
    /// Of the viewers' input that went to the program.
    InputLog& inputLog() { return inputLog_; }
    /// Whether the last picture has not been sent yet: another would only add to a burst, of which some are
    /// dropped.
    bool behind() const { return waiting_.load(std::memory_order_relaxed) > 0; }
    /// Call when the program has begun to show this window, 0: none that the X server knows, from which
    /// pictures come from now on. Waits until viewers' input can reach it, if they may send any.
    void begin(std::uint32_t window);
    /// Waits for the pool. Throws what FramePool::create() throws.
    std::shared_ptr<FramePool> makePool(const FramePoolOptions& options);
    /// The same in a GPU's memory. Throws what makeGpuFramePool() throws.
    std::shared_ptr<FramePool> makeGpuPool(int gpu, std::uint64_t slotBytes, std::uint32_t slotCount);

    /// Waits for a slot of a pool from makePool() while there is a viewer. Returns nullopt if there is none.
    std::optional<FrameLease> acquire(FramePool& pool);

    /// `info.rects` may tell what changed since the last picture submitted. Rethrows an earlier failure.
    void submit(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info);

    /// Ends the stream, whose viewers get the reason, without waiting for that.
    void giveUp(const std::string& reason);
    /// Call when the program ends. Pictures on their way have a second to arrive; returns within two.
    void finish();

  private:
    struct Outgoing {
        FrameLease lease;
        VideoFormat format;
        FrameInfo info;
    };
    using Call = std::packaged_task<void()>;
    struct Parts;

    void run(std::promise<void> ready);
    void takePlace() const;
    void work(Parts& parts);
    /// Keeps a failure for the thread that swaps.
    template <typename Work>
    void guarded(Work&& work);
    void send(Parts& parts, Outgoing&& frame);
    void takeInputFor(Parts& parts, std::uint32_t window);
    void push(std::variant<Outgoing, Call>&& job);
    /// Runs it on our thread.
    template <typename Work>
    std::future<void> call(Work&& work);

    const RunSettings settings_;
    std::vector<std::string> addresses_;
    InputLog inputLog_;
    std::atomic<int> waiting_{0};  // pictures submitted but not yet sent
    Parts* parts_ = nullptr;       // the thread's; set before the constructor returns
    std::mutex mutex_;             // guards what follows
    std::condition_variable changed_;
    std::deque<std::variant<Outgoing, Call>> jobs_;  // holds at most as many pictures as the pool has slots
    std::exception_ptr failure_;
    bool stop_ = false;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
