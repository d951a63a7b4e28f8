#include "app/preload/stream_watch.h"

#include "core/base/error.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr TimestampNs kReportInterval = 1'000'000'000;
constexpr const char* kRunning = "running";  // exit_reason of a stream that continues
constexpr auto kArrivalPatience = 5s;        // for a stream that ends before its program

bool passed(TimestampNs now, TimestampNs since, const std::optional<std::chrono::nanoseconds>& limit) {
    return limit && since != 0 && now - since >= limit->count();
}

}  // namespace

StreamWatch::StreamWatch(const RunSettings& settings, Broadcast& sender)
    : settings_(settings),
      sender_(sender),
      md5_(settings.options.frameMd5.empty() ? nullptr
                                             : std::make_unique<FrameMd5Writer>(settings.options.frameMd5)),
      begunAt_(nowNs()) {}

bool StreamWatch::timed() const {
    const RunOptions& limits = settings_.options;
    return !over_ &&
           (limits.duration || limits.patience || !settings_.options.sender.reconnect || settings_.reports);
}

void StreamWatch::look() {
    if (over_) {
        return;
    }
    const TimestampNs now = nowNs();
    if (const std::optional<RunEnd> reason = due(now)) {
        end(*reason);
    } else {
        reportIfDue(now);
    }
}

void StreamWatch::reportIfDue(TimestampNs now) {
    if (settings_.reports && now - reportedAt_ >= kReportInterval) {
        reportedAt_ = now;
        report(kRunning);
    }
}

void StreamWatch::submitting(const VideoFormat& format, const FrameInfo& info, const FrameLease& frame) {
    // Also before the first frame: a viewer that sees it may end the program before submitted() is called.
    reportIfDue(nowNs());
    if (md5_) {
        FrameInfo named = info;
        named.sequence = submitted_;
        md5_->write(format, named, payload_.of(frame, format.payloadBytes));
    }
}

void StreamWatch::submitted() {
    ++submitted_;
    firstAt_ = firstAt_ == 0 ? nowNs() : firstAt_;
    look();
}

std::optional<RunEnd> StreamWatch::due(TimestampNs now) {
    if (settings_.options.frames && submitted_ >= *settings_.options.frames) {
        return RunEnd{0, "frames"};
    }
    if (passed(now, firstAt_, settings_.options.duration)) {
        return RunEnd{0, "duration"};
    }
    return settings_.options.sender.reconnect && !settings_.options.patience ? std::nullopt
                                                                             : endOfViewers(now);
}

std::optional<RunEnd> StreamWatch::endOfViewers(TimestampNs now) {
    constexpr int kNetwork = static_cast<int>(ErrorKind::Network);
    Status viewer = Status::TimedOut;
    try {
        viewer = sender_.waitForReceiver(0s, never_);
    } catch (const Error& error) {
        return RunEnd{error.exitCode(), error.what()};
    }
    seenViewer_ = seenViewer_ || viewer == Status::Ok;
    if (viewer == Status::Closed) {
        return sender_.lastEnd().isLoss() ? RunEnd{kNetwork, "lost"} : RunEnd{0, "receiver left"};
    }
    if (!seenViewer_ && passed(now, begunAt_, settings_.options.patience)) {
        return RunEnd{kNetwork, "no viewer came"};
    }
    return std::nullopt;
}

void StreamWatch::giveUp(const std::string& reason) {
    over_ = true;
    static_cast<void>(sender_.finish(reason, kArrivalPatience, never_));
    report(reason);
}

void StreamWatch::end(const RunEnd& reason) {
    giveUp(reason.reason);
    tellRunner(settings_.runner, RunStatus::Over, reason.text());
}

void StreamWatch::report(const std::string& exitReason) {
    if (!settings_.reports) {
        return;
    }
    StreamStats stats = sender_.stats();
    // Messages are limited in size, see run_line.cpp.
    constexpr std::size_t kMaxViewersTold = 24;
    if (stats.viewers.size() > kMaxViewersTold) {
        const std::size_t left = stats.viewers.size() - kMaxViewersTold;
        stats.viewers.erase(stats.viewers.begin(), stats.viewers.begin() + static_cast<std::ptrdiff_t>(left));
        stats.viewersLeftOut += left;
    }
    // A runner that does not read, because its terminal is stopped, must not delay the program.
    tellRunner(settings_.runner, RunStatus::Statistics, statsJson(StreamEnd::Sender, stats, exitReason),
               exitReason == kRunning);
}

void StreamWatch::finish() {
    if (!over_) {
        over_ = true;
        report("the program ended");
    }
    if (md5_) {
        md5_->finish();
    }
}

}  // namespace verbcast
