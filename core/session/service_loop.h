// The loop that serves one connection, and how other threads may serve it instead.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/os/event.h"
#include "core/transport/shared_ring.h"

namespace verbcast {

enum class Served {
    Worked,
    Idle,   ///< nothing to do now; while polling, or the loop's own thread does it
    Ended,  ///< not running yet, or no longer
};

/// A thread switch costs more than handing a frame to a shared ring. So with such a ring, the submitting
/// thread pushes frames through itself (serveNow()), and the consuming thread looks for them itself (serve(),
/// awaitNews()); the loop's own thread then keeps time and watches everything but the frames. The thread that
/// serves holds `serving_`; nobody holds it while sleeping.
class ServiceLoop {
  public:
    // From any thread:
    /// Tells the loop that step() has something to do. No system call unless the loop sleeps.
    void wake() noexcept { wake_.notify(); }
    /// Ends run() after last messages with this reason. The first call counts.
    void stop(std::string_view reason) noexcept;
    /// Set by stop().
    const Event& stopRequested() const { return stop_; }

    // For the submitting thread:
    /// Call after giving step() something to do: does it at once if the loop's thread sleeps and the
    /// connection allows it, else wakes that thread.
    void serveNow();
    /// Call while spinning until the next frame: takes what the peer has sent.
    void serveMeanwhile();
    /// The same, shortly before a frame is due: also tells the peer.
    void serveAhead(TimestampNs due);

    // For one consuming thread. From its first serve() on it serves the connection instead of the loop's own:
    bool mayBeServed() const { return sharedRing() != nullptr; }
    /// Serves one round.
    Served serve();
    /// Sleeps until there may be work for serve(), the connection ends, or the timeout expires. Returns false
    /// at once if this thread does not serve the connection.
    bool awaitNews(std::chrono::nanoseconds timeout);
    /// Ends the consumer's wait, or its next one. From any thread.
    void rouseConsumer() noexcept;
    /// From now on no consumer serves. From any thread.
    void serveNoConsumer();
    /// When the peer expects to send its next frame, unchecked; 0 if it has not said that.
    TimestampNs frameDue() const { return sharedRing()->frameDue(); }

  protected:
    /// `poll`: spin instead of sleeping.
    explicit ServiceLoop(bool poll) : poll_(poll) {}
    virtual ~ServiceLoop() = default;

    /// From now on no consumer serves: there are several, of which one may be busy while another waits. By
    /// the thread that serves.
    void serveAlone();
    /// Serves until over(). Call once. Rethrows what another thread threw while it served.
    void serveUntilOver();

    // What it serves. The thread that serves calls all of these, one at a time.
    /// Takes what the peer has sent, up to a bound; returns true if there was anything. `ownerAwake`: false
    /// while the wake-ups of the loop's own thread, or of a sleeping consumer, must stay armed.
    virtual bool drain(bool ownerAwake) = 0;
    /// Like drain(true), but takes only one item: it may be the frame that a consumer waits for.
    virtual bool takeOne() = 0;
    /// Moves what it can without blocking; returns true if it moved anything.
    virtual bool step() = 0;
    /// Heartbeats: called every round, only by the loop's own thread.
    virtual void keepTime(TimestampNs now) = 0;
    /// The connection has ended.
    virtual bool over() const = 0;
    /// stop() was called: sends last messages and ends.
    virtual void endWith(const std::string& reason) = 0;
    /// Arms the connection's wake-ups; returns false if there is something to do already.
    virtual bool readyToSleep() = 0;
    virtual std::chrono::nanoseconds untilNextBeat(TimestampNs now) const = 0;
    virtual void addDescriptors(std::vector<int>& descriptors) const = 0;
    /// After a sleep on them. Bit i: the i-th was readable; or all of them, after one that nothing ended.
    virtual void slept(std::uint32_t readable) = 0;
    /// Further wake-ups, armed while the serving thread sleeps.
    virtual void armExtra() {}
    virtual void disarmExtra() {}
    virtual void addExtraDescriptors(std::vector<int>& /*descriptors*/) const {}
    /// Null: only the loop's own thread serves.
    virtual SharedRing* sharedRing() const = 0;
    virtual bool spinHelps() const = 0;

  private:
    void loop(std::unique_lock<std::mutex>& serving);
    bool round(bool ownerAwake);
    template <typename Work>
    void assist(Work&& work);
    void serveSubmitter();
    template <typename Work>
    void serveIfIdle(Work&& work);
    bool available() const { return running_ && !over() && !assistFailure_; }
    bool waitForAnything(TimestampNs now, std::unique_lock<std::mutex>& serving);
    /// False: nothing but the time has ended it.
    bool sleep(TimestampNs now, std::unique_lock<std::mutex>& serving);
    void watch(TimestampNs now, std::unique_lock<std::mutex>& serving);

    const bool poll_;
    std::mutex serving_;  // guards what is served and the members below, except atomics and wake-ups
    bool running_ = false;
    bool consumerServes_ = false;
    bool consumerSleeps_ = false;
    bool alone_ = false;
    std::exception_ptr assistFailure_;  // for run() to rethrow
    std::vector<int> sleepDescriptors_;

    std::atomic<bool> roused_{false};  // by rouseConsumer(), since its last wait
    ArmedEvent wake_;
    Event stop_;
    std::atomic<bool> stopping_{false};  // stop_ was set: read in the loop without a system call
    std::once_flag stopOnce_;
    std::string stopReason_;  // written before stopping_ is set, read after
};

}  // namespace verbcast
