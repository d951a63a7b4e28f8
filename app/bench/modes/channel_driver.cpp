#include "app/bench/modes/channel_driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/bench/modes/bench_modes.h"
#include "app/bench/workers/bench_transports.h"
#include "app/bench/workers/pinning.h"
#include "core/base/os/clock.h"
#include "core/base/os/spin.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// Caches, page tables and congestion windows are warm long before.
constexpr std::chrono::nanoseconds kMaxWarmUp = 200ms;
// Checking an Event is a system call: not in every round.
constexpr TimestampNs kCancelCheck = 5'000'000;
constexpr std::chrono::nanoseconds kMaxSleep = 1s;
constexpr std::chrono::nanoseconds kPatience = 20s;
constexpr std::chrono::milliseconds kConnectLimit = 10s;
constexpr std::chrono::nanoseconds kWorkerStart = 30s;
constexpr std::chrono::nanoseconds kWorkerEnd = 10s;
// Limited, so that a flood from the peer does not starve step().
constexpr int kRounds = 64;

/// Processes up to kRounds rounds. Returns Worked if there was any work.
Progress drain(const Connection& connection) {
    for (int round = 0; round < kRounds; ++round) {
        const Progress heard = connection.messages->process();
        const Progress moved = connection.frames->poll();
        if (heard == Progress::Closed) {
            return Progress::Closed;
        }
        // If frames have ended, process() reports it itself after the peer's last messages.
        if (heard == Progress::Idle && moved == Progress::Idle) {
            return round > 0 ? Progress::Worked : Progress::Idle;
        }
    }
    return Progress::Worked;
}

/// Detects a silent peer and a request to stop.
class Watch {
  public:
    Watch(const Connection& connection, const DriveOptions& options)
        : connection_(connection),
          options_(options),
          heardAt_(nowNs()),
          heard_(connection.messages->bytesReceived()) {}

    /// Returns true to stop. Throws Error{Network} if the peer is silent for too long.
    bool look(TimestampNs now) {
        if (now < nextLook_) {
            return false;
        }
        nextLook_ = now + kCancelCheck;
        if (const std::uint64_t bytes = connection_.messages->bytesReceived(); bytes != heard_) {
            heard_ = bytes;
            heardAt_ = now;
        } else if (options_.patience > 0ns && now - heardAt_ > options_.patience.count()) {
            throw Error(ErrorKind::Network,
                        fmt::format("{}: nothing came from the benchmark's other process for {} s",
                                    connection_.messages->description().transport, options_.patience / 1s),
                        "look whether it still runs; see verbcast doctor for the transport");
        }
        if (stopAt_ == 0 && options_.cancel != nullptr && options_.cancel->isSet()) {
            stopAt_ = now + options_.grace.count();
        }
        return stopAt_ != 0 && now >= stopAt_;
    }

    void sleep() const {
        // Once set, `cancel` would end every wait at once.
        const bool stopping = stopAt_ != 0;
        waitReadable({connection_.messages->waitDescriptor(), connection_.frames->waitDescriptor(),
                      stopping || options_.cancel == nullptr ? -1 : options_.cancel->descriptor()},
                     stopping ? options_.grace : kMaxSleep);
    }

  private:
    const Connection& connection_;
    const DriveOptions& options_;
    TimestampNs heardAt_;
    TimestampNs nextLook_ = 0;
    TimestampNs stopAt_ = 0;  ///< 0: not asked to stop
    std::uint64_t heard_;
};

/// Waits for a peer. Returns an empty connection if `cancel` was set first.
Connection acceptOne(Listener& listener, const Event& cancel) {
    while (!cancel.isSet()) {
        if (auto connection = listener.accept()) {
            return connection;
        }
        waitReadable({listener.waitDescriptor(), cancel.descriptor()}, Deadline::never());
    }
    return {};
}

/// Notes conditions that affect measurements driven by two processes: no pinning, and burners.
void addDrivingNotes(const BenchOptions& options, const std::vector<std::string>& transports,
                     BenchReport& report) {
    const bool anySpins = std::ranges::any_of(
        transports, [](const std::string& scheme) { return transportHas(scheme, &Transport::spinHelps); });
    if (options.pin.empty() && anySpins) {
        report.notes.emplace_back(
            "without --pin the scheduler may keep both processes on one processor: then each hand-off over "
            "shm and verbs also waits for the other's spin of 20 us");
    }
    if (options.load > 0) {
        report.notes.push_back(fmt::format("measured beside {} burner threads", options.load));
    }
}

}  // namespace

ChannelEnd::ChannelEnd(const Connection& connection) : connection_(connection) {
    channel().setHandler(this);
    path().setHandler(this);
}

ChannelEnd::~ChannelEnd() {
    channel().setHandler(nullptr);
    path().setHandler(nullptr);
}

FrameTarget ChannelEnd::beginFrame(RingId ring, std::uint32_t, const FrameInfo&) {
    throw Error(ErrorKind::Peer, fmt::format("a block for ring {}, which was not offered", ring));
}

DriveEnd drive(const Connection& connection, ChannelEnd& end, const DriveOptions& options) {
    Watch watch(connection, options);
    TimestampNs lastWork = nowNs();
    for (;;) {
        const Progress progress = drain(connection);
        if (progress == Progress::Closed) {
            return DriveEnd::Closed;
        }
        if (end.step()) {
            return DriveEnd::Finished;
        }
        const TimestampNs now = nowNs();
        if (watch.look(now)) {
            return DriveEnd::Interrupted;
        }
        if (progress == Progress::Worked) {
            lastWork = now;
        } else if (options.poll || (connection.messages->spinHelps() && now - lastWork < kSpin)) {
            relax();
        } else if (connection.messages->readyToSleep() && connection.frames->readyToSleep()) {
            watch.sleep();
        }
    }
}

WorkerLink::WorkerLink(const BenchOptions& options, const std::string& scheme, const std::string& role,
                       nlohmann::json job, const TransportOptions& transport)
    : worker_("", role,
              [&] {
                  job["url"] = freshAddress(scheme, options);
                  job["poll"] = options.poll;
                  job["pin"] = receiverPin(options.pin);
                  return job;
              }()),
      poll_(options.poll) {
    if (worker_.progress(kWorkerStart).is_null()) {
        worker_.result(0ns);  // throws why it does not listen
        return;               // or it was interrupted
    }
    const Url url = parseUrl(job.at("url").get<std::string>());
    connection_ = transportFor(url).connect(url, transport, Deadline::in(kConnectLimit), interruptEvent());
}

bool WorkerLink::run(ChannelEnd& end) {
    const DriveEnd how =
        drive(connection_, end, {.poll = poll_, .cancel = &interruptEvent(), .patience = kPatience});
    if (how == DriveEnd::Closed) {
        const std::string reason = connection_.messages->closeReason();
        const std::string transport = connection_.messages->description().transport;
        worker_.result(kWorkerEnd);  // throws what happened to it
        throw Error(ErrorKind::Network,
                    fmt::format("{}: the connection within the benchmark ended: {}", transport, reason));
    }
    return how == DriveEnd::Finished;
}

nlohmann::json WorkerLink::finish() {
    hangUp();
    return worker_.result(kWorkerEnd);
}

void WorkerLink::hangUp() {
    if (connection_) {
        connection_.messages->close();
        connection_ = {};
    }
}

bool serveWorker(const nlohmann::json& job, const WorkerEmit& emit,
                 const std::function<std::unique_ptr<ChannelEnd>(const Connection&)>& makeEnd) {
    const PinnedThread pinned(job.at("pin").get<int>());
    const Url url = parseUrl(job.at("url").get<std::string>());
    const auto listener = transportFor(url).listen(url, {});
    emit({{"listening", listener->address()}});
    const Connection connection = acceptOne(*listener, interruptEvent());
    if (!connection) {
        return false;
    }
    const auto end = makeEnd(connection);
    // An interrupt reaches both processes, and the parent decides: give it a moment to hang up.
    drive(connection, *end, {.poll = job.at("poll").get<bool>(), .cancel = &interruptEvent(), .grace = 1s});
    return true;
}

RateWindow::RateWindow(const Length& length, std::uint64_t warmUpEvents)
    : length_(length), warmUp_(std::max<std::uint64_t>(1, warmUpEvents)) {}

bool RateWindow::count(TimestampNs now) {
    if (seen_++ == 0) {
        warmUpUntil_ = now + (length_.exactly ? 0 : std::min(kMaxWarmUp, length_.atLeast / 10).count());
    }
    if (!open_) {
        open_ = seen_ >= warmUp_ && now >= warmUpUntil_;
        first_ = last_ = now;
        return false;
    }
    if (complete_) {
        return false;
    }
    last_ = now;
    ++events_;
    complete_ = events_ >= length_.events && (length_.exactly || now - first_ >= length_.atLeast.count());
    return true;
}

double RateWindow::perSecond() const {
    return last_ > first_ ? static_cast<double>(events_) * 1e9 / static_cast<double>(last_ - first_) : 0;
}

void driveOver(const std::vector<std::string>& transports, const BenchOptions& options, BenchReport& report,
               const std::function<bool(const std::string& scheme)>& measure) {
    if (transports.empty()) {
        return;
    }
    addDrivingNotes(options, transports, report);
    const Burners burners(options.load);
    const PinnedThread pinned(senderPin(options.pin));
    unlessInterrupted([&] { static_cast<void>(std::ranges::all_of(transports, measure)); });
}

RateWindow::Length pointLength(const BenchOptions& options, std::uint64_t leastEvents, std::uint32_t depth) {
    const std::uint64_t turns = 4ULL * depth;
    if (options.frames) {
        return {.atLeast = 0ns, .events = std::max(*options.frames, turns), .exactly = true};
    }
    return {.atLeast = std::chrono::nanoseconds(static_cast<std::int64_t>(options.seconds * 1e8)),
            .events = std::max(leastEvents, turns),
            .exactly = false};
}

}  // namespace verbcast
