// The stream of what a program shows, apart from the program.
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

#include "capture/input_thread.h"
#include "capture/run/input_log.h"
#include "capture/run/repainter.h"
#include "capture/run/run_settings.h"
#include "core/stream/broadcast.h"
#include "core/stream/stats_stream.h"

namespace verbcast {

/// Everything that has a descriptor lives on a thread of ours, and on those that it begins: they have a table
/// of descriptors of their own. So the program may close all of its descriptors, its files never get the
/// number of one of our sockets, and what it forks or executes inherits none. A picture costs one waking of
/// that thread.
///
/// Pools are made here and end here, since they have descriptors, too; leases may end anywhere.
class ProgramStream {
  public:
    /// Throws what Broadcast throws.
    explicit ProgramStream(const RunSettings& settings);
    ~ProgramStream();
    ProgramStream(const ProgramStream&) = delete;
    ProgramStream& operator=(const ProgramStream&) = delete;

    // For the thread that swaps; what may block says so.

    const std::vector<std::string>& listenAddresses() const { return addresses_; }
    /// Somebody looks.
    bool watched() const;
    /// The last picture has not been sent on yet: another would only add to a burst, of which some are
    /// dropped.
    bool behind() const { return waiting_.load(std::memory_order_relaxed) > 0; }
    /// The program has begun to show this window; 0: none that the X server knows. Waits until viewers' input
    /// can reach it, if they may send any.
    void begin(std::uint32_t window);
    /// Waits for it. Throws what FramePool::create() throws.
    std::shared_ptr<FramePool> makePool(const FramePoolOptions& options);

    /// A slot of a pool that makePool() made, waited for as long as there is a viewer. Nothing: there is
    /// none.
    std::optional<FrameLease> acquire(FramePool& pool);

    /// The serial of the viewers' last input that a picture shows which was begun then.
    std::uint64_t inputShownBy(TimestampNs begun);
    /// A picture has been shown; it has been submitted. See Repainter.
    void shown(TimestampNs at);
    void sent();
    /// `info.rects` may tell what changed since the picture submitted before. Throws what went wrong with one
    /// before.
    void submit(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info);

    /// The program ends. Waits until what is on its way has arrived, at most a second.
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
    void work(Parts& parts);
    /// A failure is kept for the thread that swaps.
    template <typename Work>
    void guarded(Work&& work);
    void send(Parts& parts, Outgoing&& frame);
    void takeInputFor(Parts& parts, std::uint32_t window);
    void push(std::variant<Outgoing, Call>&& job);
    /// Has it done by our thread.
    template <typename Work>
    std::future<void> call(Work&& work);

    const RunSettings settings_;
    std::vector<std::string> addresses_;
    InputLog inputLog_;
    std::atomic<int> waiting_{0};  // pictures that have been submitted
    Parts* parts_ = nullptr;       // the thread's; set before the constructor returns
    std::mutex mutex_;             // guards what follows
    std::condition_variable changed_;
    std::deque<std::variant<Outgoing, Call>> jobs_;  // as many pictures as the pool has slots
    std::exception_ptr failure_;
    bool stop_ = false;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
