// Drives a connection in a loop without a session: how the sweep and rpc modes reach a transport.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "app/bench/workers/worker.h"
#include "core/transport/registry.h"

namespace verbcast {

/// One end of a connection in a measurement; owns the connection. It replies within the callbacks where
/// possible and does the rest in step().
class ChannelEnd : public MessageHandler, public FrameHandler {
  public:
    explicit ChannelEnd(const Connection& connection);
    ~ChannelEnd() override;
    ChannelEnd(const ChannelEnd&) = delete;
    ChannelEnd& operator=(const ChannelEnd&) = delete;

    /// Called after each round of process(). Returns true when this measurement is over.
    virtual bool step() = 0;

    void onMessage(std::span<const std::byte>) override {}
    void onOfferReady(RingId, std::span<const std::byte>) override {}
    FrameTarget beginFrame(RingId, std::uint32_t, const FrameInfo&) override;
    void onFrame(RingId, std::uint32_t, const FrameInfo&) override {}
    void onFrameSent(std::uint32_t) override {}

  protected:
    MessageChannel& channel() const { return *connection_.messages; }
    FramePath& path() const { return *connection_.frames; }

  private:
    Connection connection_;
};

enum class DriveEnd {
    Finished,     ///< step() returned true
    Interrupted,  ///< `cancel` was set
    Closed,       ///< the peer hung up: see MessageChannel::closeReason()
};

struct DriveOptions {
    bool poll = false;                  ///< spin forever instead of only briefly before each sleep
    const Event* cancel = nullptr;      ///< ends the loop within milliseconds; null: only the peer ends it
    std::chrono::nanoseconds grace{0};  ///< the loop continues this long after `cancel`
    /// Throws Error{Network} after this long without a byte from the peer; zero: never.
    std::chrono::nanoseconds patience{0};
};

/// Processes, steps, spins and sleeps as a session does, until one of the ends above. Passes on what the
/// transport or the end throws.
DriveEnd drive(const Connection& connection, ChannelEnd& end, const DriveOptions& options);

/// A listening worker and the parent's connection to it. Hangs up before it ends the worker.
class WorkerLink {
  public:
    /// Adds the keys "url", "poll" and "pin" to `job`; the worker must run serveWorker(). Throws the worker's
    /// own error if it cannot listen.
    WorkerLink(const BenchOptions& options, const std::string& scheme, const std::string& role,
               nlohmann::json job, const TransportOptions& transport);
    ~WorkerLink() { hangUp(); }

    /// False if interrupted before the connection.
    bool connected() const { return static_cast<bool>(connection_); }
    const Connection& connection() const { return connection_; }
    /// Drives until the end is done. Returns false if interrupted. Throws the worker's own error if it
    /// failed.
    bool run(ChannelEnd& end);
    /// Hangs up and returns the worker's result.
    nlohmann::json finish();

  private:
    void hangUp();

    Worker worker_;
    Connection connection_;
    bool poll_;
};

/// The worker's half of WorkerLink: listens where the job says and serves one peer until it hangs up. An
/// interrupt reaches both processes; the parent decides, so a connected worker waits a second for it. Returns
/// false if interrupted before anybody came.
bool serveWorker(const nlohmann::json& job, const WorkerEmit& emit,
                 const std::function<std::unique_ptr<ChannelEnd>(const Connection&)>& makeEnd);

/// Measures a rate: waits for both a duration and a count, between a first and a last event.
class RateWindow {
  public:
    struct Length {
        std::chrono::nanoseconds atLeast{0};
        std::uint64_t events = 1;
        bool exactly = false;  ///< exactly that many events, however short the time
    };

    /// Opens after a warm-up of `warmUpEvents` events and a tenth of the length, at most 0.2 s.
    RateWindow(const Length& length, std::uint64_t warmUpEvents);
    /// Counts an event at that time. Returns true if it belongs to the measurement.
    bool count(TimestampNs now);
    bool complete() const { return complete_; }
    std::uint64_t events() const { return events_; }
    double perSecond() const;

  private:
    Length length_;
    std::uint64_t warmUp_;
    TimestampNs warmUpUntil_ = 0;
    TimestampNs first_ = 0;
    TimestampNs last_ = 0;
    std::uint64_t seen_ = 0;
    std::uint64_t events_ = 0;
    bool open_ = false;
    bool complete_ = false;
};

/// Measures over each transport, beside --load and on the sender's processor, and notes what affects that.
/// `measure` returns false if interrupted.
void driveOver(const std::vector<std::string>& transports, const BenchOptions& options, BenchReport& report,
               const std::function<bool(const std::string& scheme)>& measure);

/// Length for one point: a tenth of --seconds and `leastEvents`, or --frames events. At least four times the
/// depth: events come in bursts of up to that many, and a rate must not be that of one burst.
RateWindow::Length pointLength(const BenchOptions& options, std::uint64_t leastEvents, std::uint32_t depth);

}  // namespace verbcast
