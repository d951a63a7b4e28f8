#include "app/bench/channel_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "app/bench/bench_modes.h"
#include "app/bench/pinning.h"
#include "app/interrupt.h"
#include "core/base/clock.h"
#include "core/base/spin.h"
#include "core/session/rendezvous.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// Caches, page tables and congestion windows are warm long before.
constexpr std::chrono::nanoseconds kLongestWarmUp = 200ms;
// Looking at an Event is a system call: not in every round.
constexpr TimestampNs kCancelCheck = 5'000'000;
constexpr std::chrono::nanoseconds kLongestSleep = 1s;
constexpr std::chrono::nanoseconds kPatience = 20s;
constexpr std::chrono::milliseconds kConnectLimit = 10s;
constexpr std::chrono::nanoseconds kWorkerStart = 30s;
constexpr std::chrono::nanoseconds kWorkerEnd = 10s;
// Bounded, so that a flood from the peer does not keep step() waiting.
constexpr int kRounds = 64;

/// What process() found in up to kRounds rounds: Worked when there was anything.
Progress drain(Channel& channel, ChannelEnd& end) {
    for (int round = 0; round < kRounds; ++round) {
        switch (channel.process(end)) {
            case Progress::Idle:
                return round > 0 ? Progress::Worked : Progress::Idle;
            case Progress::Closed:
                return Progress::Closed;
            case Progress::Worked:
                break;
        }
    }
    return Progress::Worked;
}

/// Notices a peer that says nothing any more, and a request to stop.
class Watch {
  public:
    Watch(Channel& channel, const DriveOptions& options)
        : channel_(channel), options_(options), heardAt_(nowNs()), heard_(channel.bytesReceived()) {}

    /// True: stop. Throws when the peer is silent for too long.
    bool look(TimestampNs now) {
        if (now < nextLook_) {
            return false;
        }
        nextLook_ = now + kCancelCheck;
        if (const std::uint64_t bytes = channel_.bytesReceived(); bytes != heard_) {
            heard_ = bytes;
            heardAt_ = now;
        } else if (options_.patience > 0ns && now - heardAt_ > options_.patience.count()) {
            throw Error(ErrorKind::Network,
                        fmt::format("{}: nothing came from the benchmark's other process for {} s",
                                    channel_.description().transport, options_.patience / 1s),
                        "look whether it still runs; see verbcast doctor for the transport");
        }
        if (stopAt_ == 0 && options_.cancel != nullptr && options_.cancel->isSet()) {
            stopAt_ = now + options_.grace.count();
        }
        return stopAt_ != 0 && now >= stopAt_;
    }

    void sleep() const {
        // Once it is set, `cancel` would end each wait at once.
        const bool stopping = stopAt_ != 0;
        waitReadable({channel_.waitDescriptor(),
                      stopping || options_.cancel == nullptr ? -1 : options_.cancel->descriptor()},
                     stopping ? options_.grace : kLongestSleep);
    }

  private:
    Channel& channel_;
    const DriveOptions& options_;
    TimestampNs heardAt_;
    TimestampNs nextLook_ = 0;
    TimestampNs stopAt_ = 0;  ///< 0: not asked to stop
    std::uint64_t heard_;
};

/// Waits for a peer. Null: `cancel` came first.
std::unique_ptr<Channel> acceptOne(Listener& listener, const Event& cancel) {
    while (!cancel.isSet()) {
        if (auto channel = listener.accept()) {
            return channel;
        }
        waitReadable({listener.waitDescriptor(), cancel.descriptor()}, -1ns);
    }
    return nullptr;
}

int pinOf(const BenchOptions& options, std::size_t index) {
    return index < options.pin.size() ? options.pin[index] : -1;
}

}  // namespace

DriveEnd drive(Channel& channel, ChannelEnd& end, const DriveOptions& options) {
    Watch watch(channel, options);
    TimestampNs lastWork = nowNs();
    for (;;) {
        const Progress progress = drain(channel, end);
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
        } else if (options.poll || (channel.spinHelps() && now - lastWork < kSpin)) {
            relax();
        } else if (channel.readyToSleep()) {
            watch.sleep();
        }
    }
}

WorkerLink::WorkerLink(const BenchOptions& options, Scheme scheme, const std::string& role,
                       nlohmann::json job, const TransportOptions& transport)
    : worker_("", role,
              [&] {
                  job["url"] = freshAddress(scheme, options);
                  job["poll"] = options.poll;
                  job["pin"] = pinOf(options, 1);
                  return job;
              }()),
      poll_(options.poll) {
    if (worker_.progress(kWorkerStart).is_null()) {
        worker_.result(0ns);  // throws why it does not listen
        return;               // or it was interrupted
    }
    channel_ =
        connectOne(parseUrl(job.at("url").get<std::string>()), transport, kConnectLimit, interruptEvent());
}

bool WorkerLink::run(ChannelEnd& end) {
    const DriveEnd how =
        drive(*channel_, end, {.poll = poll_, .cancel = &interruptEvent(), .patience = kPatience});
    if (how == DriveEnd::Closed) {
        const std::string reason = channel_->closeReason();
        const std::string transport = channel_->description().transport;
        worker_.result(kWorkerEnd);  // throws what happened to it
        throw Error(ErrorKind::Network,
                    fmt::format("{}: the connection within the benchmark ended: {}", transport, reason));
    }
    return how == DriveEnd::Finished;
}

nlohmann::json WorkerLink::finish() {
    channel_.reset();
    return worker_.result(kWorkerEnd);
}

bool serveWorker(const nlohmann::json& job, const WorkerEmit& emit,
                 const std::function<std::unique_ptr<ChannelEnd>(Channel&)>& makeEnd) {
    const PinnedThread pinned(job.at("pin").get<int>());
    const auto listener = listenOn(parseUrl(job.at("url").get<std::string>()), {});
    emit({{"listening", listener->address()}});
    const auto channel = acceptOne(*listener, interruptEvent());
    if (!channel) {
        return false;
    }
    const auto end = makeEnd(*channel);
    // An interrupt reaches both processes, and the parent decides: it needs a moment to hang up.
    drive(*channel, *end, {.poll = job.at("poll").get<bool>(), .cancel = &interruptEvent(), .grace = 1s});
    return true;
}

RateWindow::RateWindow(const Length& length, std::uint64_t warmUpEvents)
    : length_(length), warmUp_(std::max<std::uint64_t>(1, warmUpEvents)) {}

bool RateWindow::count(TimestampNs now) {
    if (seen_++ == 0) {
        warmUpUntil_ = now + (length_.exactly ? 0 : std::min(kLongestWarmUp, length_.atLeast / 10).count());
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

void addDrivingNotes(const BenchOptions& options, const std::vector<Scheme>& transports,
                     BenchReport& report) {
    if (options.pin.empty() && (transports.size() > 1 || transports.front() != Scheme::Tcp)) {
        report.notes.emplace_back(
            "without --pin the scheduler may keep both processes on one processor: then each hand-off over "
            "shm and verbs also waits for the other's spin of 20 us");
    }
    if (options.load > 0) {
        report.notes.push_back(fmt::format("measured beside {} burner threads", options.load));
    }
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
