// The loop that serves one connection, and the ways in which other threads may serve it instead.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/event.h"
#include "core/transport/shared_ring.h"

namespace verbcast {

/// What the loop serves: all functions are called by the thread that serves, one at a time.
class Serviced {
  public:
    virtual ~Serviced() = default;
    /// Takes what the peer has sent, up to a bound; true when there was anything. `ownerAwake` is false while
    /// the wake-ups of the loop's own thread, or of a consumer that sleeps, must stay armed.
    virtual bool drain(bool ownerAwake) = 0;
    /// As drain(true), but only one piece of news: it may be the frame that a consumer waits for.
    virtual bool takeOne() = 0;
    /// Moves what can be moved without blocking; true when something was.
    virtual bool step() = 0;
    /// Heartbeats: called about every round, not by other threads than the loop's own.
    virtual void keepTime(TimestampNs now) = 0;
    /// The connection has ended.
    virtual bool over() const = 0;
    /// stop() was called: last words, and the end.
    virtual void endWith(const std::string& reason) = 0;
    /// Arms the connection's wake-ups; false when there is something to do already.
    virtual bool readyToSleep() = 0;
    virtual std::chrono::nanoseconds untilNextBeat(TimestampNs now) const = 0;
    virtual void addDescriptors(std::vector<int>& descriptors) const = 0;
    /// Further wake-ups, armed while the serving thread sleeps.
    virtual void armExtra() = 0;
    virtual void disarmExtra() = 0;
    virtual void addExtraDescriptors(std::vector<int>& descriptors) const = 0;
    /// Null: only the loop's own thread serves.
    virtual SharedRing* sharedRing() const = 0;
    virtual bool spinHelps() const = 0;
};

enum class Served {
    Worked,
    Idle,   ///< nothing to do now
    Ended,  ///< not yet running, or no more
};

/// A thread switch costs more than handing a frame to a shared ring. There, the thread that submits frames
/// pushes them through by itself (serveNow()), and the one that consumes them looks for them itself (serve(),
/// awaitNews()); the loop's own thread then keeps time and watches everything but the frames. The thread
/// that serves holds `serving_`, which nobody holds while sleeping.
class ServiceLoop {
  public:
    /// `poll`: spin instead of sleeping.
    ServiceLoop(Serviced& serviced, bool poll) : serviced_(serviced), poll_(poll) {}

    /// Serves until over(). Once. Rethrows what another thread ran into while it served.
    void run();

    // From any thread:
    /// There is something to do for step(). No system call unless the loop sleeps.
    void wake() noexcept { wake_.notify(); }
    /// Ends run() after last words with this reason. The first call counts.
    void stop(std::string_view reason) noexcept;
    /// Set by stop().
    const Event& stopRequested() const { return stop_; }

    // For the submitting thread:
    /// After giving step() something to do: does it at once if the loop's thread sleeps and the connection
    /// allows, and otherwise wakes that thread.
    void serveNow();
    /// While it spins until the next frame: takes what the peer has sent.
    void serveMeanwhile();

    // For one consuming thread, which from its first call on serves the connection instead of the loop's own:
    bool mayBeServed() const { return serviced_.sharedRing() != nullptr; }
    /// One round.
    Served serve();
    /// Sleeps until there may be work for serve(), or the connection ends, or the timeout is over. False, at
    /// once, when this thread does not serve the connection.
    bool awaitNews(std::chrono::nanoseconds timeout);

  private:
    void loop(std::unique_lock<std::mutex>& serving);
    bool round(bool ownerAwake);
    template <typename Work>
    void assist(Work&& work);
    void serveSubmitter();
    bool available() const { return running_ && !serviced_.over() && !assistFailure_; }
    bool waitForAnything(TimestampNs now, std::unique_lock<std::mutex>& serving);
    void sleep(TimestampNs now, std::unique_lock<std::mutex>& serving);
    void watch(TimestampNs now, std::unique_lock<std::mutex>& serving);

    Serviced& serviced_;
    const bool poll_;
    std::mutex serving_;  // guards what is served and what follows, but for what is atomic or a wake-up
    bool running_ = false;
    bool consumerServes_ = false;
    bool consumerSleeps_ = false;
    std::exception_ptr assistFailure_;  // for run() to rethrow
    std::vector<int> sleepDescriptors_;

    ArmedEvent wake_;
    Event stop_;
    std::atomic<bool> stopping_{false};  // stop_ was set: read in the loop without a system call
    std::once_flag stopOnce_;
    std::string stopReason_;  // written before stopping_ is set, read after
};

}  // namespace verbcast
