#include "app/sending.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <cmath>
#include <utility>

#include "app/interrupt.h"
#include "core/base/log.h"
#include "core/base/whole_file.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr double kLateEnd = 0.25;  // seconds that the last frames of a stream may be late

SenderOptions senderOptions(const SendingOptions& options, Policy policy) {
    SenderOptions sender;
    sender.url = options.url;
    sender.listen = options.listen;
    sender.policy = policy;
    sender.slots = options.slots;
    sender.maxReceivers = options.maxViewers;
    sender.poll = options.poll;
    sender.trust = options.trust;
    sender.allowInput = options.allowInput;
    sender.reconnect = !options.once;
    sender.preview = options.preview;
    return sender;
}

std::unique_ptr<InputInjector> injectorOf(FrameSource& source) {
    auto injector = source.inputInjector();
    if (!injector) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--allow-input: {} takes no input from viewers", source.describe()),
                    "drop --allow-input, or send a screen: verbcast send screen --allow-input");
    }
    return injector;
}

}  // namespace

Sending::Sending(const SendingOptions& options, std::unique_ptr<FrameSource> source)
    : options_(options),
      progress_(options.verbosity),
      source_(std::move(source)),
      policy_(options.policy.value_or(source_->isLive() ? Policy::Latest : Policy::Lossless)),
      pacer_(options.pacing, options.rate) {
    checkWritable(options.statsJson);
    if (!options.frameMd5.empty()) {
        md5_ = std::make_unique<FrameMd5Writer>(options.frameMd5);
    }
    std::unique_ptr<InputInjector> injector = options.allowInput ? injectorOf(*source_) : nullptr;
    sender_ = std::make_unique<Broadcast>(senderOptions(options, policy_));
    if (injector) {
        inputThread_ = std::make_unique<InputThread>(*sender_, std::move(injector));
    }
    if (options.statsDescriptor >= 0) {
        figures_ = std::make_unique<StatsStream>(options.statsDescriptor, *sender_, options.trust.book);
    }
    printNewNotes();
    if (options.verbosity == Verbosity::Verbose) {
        progress_.note(fmt::format("{}: {}, policy {}", source_->describe(), describe(source_->format()),
                                   policy_ == Policy::Latest ? "latest" : "lossless"));
    }
}

void Sending::printNewNotes() {
    const std::vector<std::string> notes = source_->notes();
    for (; notesPrinted_ < notes.size(); ++notesPrinted_) {
        progress_.note("note: " + notes[notesPrinted_]);
    }
}

void Sending::printDepartures() {
    for (const std::string& departure : sender_->takeDepartures()) {
        progress_.news("departure", departure);
    }
}

std::string Sending::waitingText() const {
    if (options_.listen) {
        return fmt::format("waiting for a viewer on {}", fmt::join(sender_->listenAddresses(), ", "));
    }
    return fmt::format("connecting to {} (waiting until a viewer listens there)", options_.url.text());
}

std::string Sending::receiversText() const {
    const auto receivers = sender_->receivers();
    if (receivers.size() != 1) {
        return fmt::format("{} viewers", receivers.size());
    }
    const ReceiverStats& receiver = receivers.front();
    return fmt::format("to {} over {}", receiver.name, receiver.channel.transport);
}

bool Sending::awaitReceiver() {
    if (connectedOnce_) {
        if (sender_->receiverCount() > 0) {
            return true;
        }
        printDepartures();
        progress_.news("no viewer", fmt::format("last viewer left: {}", sender_->lastEnd()));
        pacer_.restart();  // frames for the preview count anew
    }
    const TimestampNs begunAt = nowNs();
    for (;;) {
        progress_.state(waitingText());
        const bool preview = previewing();
        if (preview && !previewOne()) {
            return false;
        }
        switch (sender_->waitForReceiver(preview ? 0s : 1s, interruptEvent())) {
            case Status::Ok: {
                connectedOnce_ = true;
                pacer_.restart();
                waitedNs_ += firstAt_ != 0 ? nowNs() - begunAt : 0;
                const auto receivers = sender_->receivers();
                if (!receivers.empty()) {
                    const auto& channel = receivers.front().channel;
                    progress_.news(
                        "sending",
                        fmt::format("sending {} to {} over {} ({}; {}; {})", describe(source_->format()),
                                    channel.peer, channel.transport, sender_->transportReason(),
                                    channel.detail, shortName(receivers.front().trust.protection)));
                }
                return true;
            }
            case Status::Closed:
                exitReason_ = sender_->lastEndWasLoss() ? "lost" : "receiver left";
                return false;
            default:
                break;
        }
        if (interruptEvent().isSet()) {
            exitReason_ = "interrupted";
            return false;
        }
    }
}

bool Sending::previewing() const {
    // A file waits for its viewer; what is live is shown to the preview meanwhile.
    return policy_ == Policy::Latest && source_->isLive() && sender_->previewWatched();
}

bool Sending::previewOne() {
    CapturedFrame frame;
    frame.format = source_->format();
    if (!paceAndCapture(frame, previewed_)) {
        return false;
    }
    ++previewed_;
    FrameInfo info;
    info.pts = frame.pts;
    info.flags = frame.flags;
    info.capturedAt = frame.capturedAt;
    sender_->submitPreview(std::move(frame.lease), frame.format, info);
    return true;
}

bool Sending::limitReached(const CapturedFrame& next) const {
    if (!options_.duration) {
        return false;
    }
    const double limit = std::chrono::duration<double>(*options_.duration).count();
    const auto lasted = [this] { return firstAt_ != 0 ? static_cast<double>(nowNs() - firstAt_) * 1e-9 : 0; };
    if (options_.pacing == Pacing::Max || source_->pacesItself() ||
        (options_.pacing == Pacing::Source && !source_->isLive())) {
        return lasted() >= limit;
    }
    // At a fixed rate the length of the stream decides, not the moment: 60 s at 60 fps are 3600 frames. What
    // is live and drawn too slowly for its rate ends when the time is over, though.
    const double waited = static_cast<double>(waitedNs_) * 1e-9;
    if (source_->isLive() && policy_ == Policy::Latest && lasted() >= limit + waited + kLateEnd) {
        return true;
    }
    const double rate =
        options_.pacing == Pacing::Rate ? options_.rate.value() : next.format.frameRate.value();
    return rate > 0 && static_cast<double>(submitted_) >= std::round(limit * rate);
}

bool Sending::waitForTurn(std::uint64_t index, std::int64_t pts, Rational timeBase) {
    const TimestampNs due = pacer_.due(index, pts, timeBase, nowNs());
    return sender_->waitUntilDue(due, interruptEvent()) && !interruptEvent().isSet();
}

bool Sending::paceAndCapture(CapturedFrame& frame, std::uint64_t index) {
    // A live picture is made at the moment it is due (a device knows that itself); a decoded one waits,
    // ready, for its moment.
    const VideoFormat& format = source_->format();
    const bool live = source_->isLive();
    if (live && !source_->pacesItself()) {
        const double rate = format.frameRate.value();
        const auto pts = static_cast<std::int64_t>(index);
        const Rational frameTime =
            rate > 0 ? Rational{format.frameRate.denominator, format.frameRate.numerator} : Rational{1, 60};
        if (!waitForTurn(index, pts, frameTime)) {
            exitReason_ = "interrupted";
            return false;
        }
    }
    Status status = source_->capture(frame, interruptEvent());
    while (status == Status::TimedOut) {
        printNewNotes();
        status = source_->capture(frame, interruptEvent());
    }
    switch (status) {
        case Status::Ok:
            break;
        case Status::Closed:
            exitReason_ = "end of stream";
            return false;
        default:
            exitReason_ = "interrupted";
            return false;
    }
    if (live) {
        return true;
    }
    const TimestampNs ready = nowNs();
    if (!waitForTurn(index, frame.pts, frame.format.timeBase)) {
        exitReason_ = "interrupted";
        return false;
    }
    frame.capturedAt += nowNs() - ready;  // to wait for its turn is no part of capturing
    return true;
}

bool Sending::sendOne() {
    CapturedFrame frame;
    if (options_.frames && submitted_ >= *options_.frames) {
        exitReason_ = "frames";
        return false;
    }
    frame.format = source_->format();
    if (limitReached(frame)) {
        exitReason_ = "duration";
        return false;
    }
    if (!paceAndCapture(frame, submitted_)) {
        return false;
    }
    firstAt_ = firstAt_ == 0 ? nowNs() : firstAt_;
    FrameInfo info;
    info.pts = frame.pts;
    info.flags = frame.flags;
    info.capturedAt = frame.capturedAt;
    info.inputSequence = frame.inputSequence;
    if (md5_) {
        FrameInfo named = info;
        named.sequence = submitted_;
        md5_->write(frame.format, named, frame.lease.data());
    }
    Status status = sender_->submit(std::move(frame.lease), frame.format, info, interruptEvent());
    while (status == Status::Busy) {
        if (!awaitReceiver()) {
            return false;
        }
        status = sender_->submit(std::move(frame.lease), frame.format, info, interruptEvent());
    }
    if (status == Status::Ok) {
        ++submitted_;
        return true;
    }
    exitReason_ = status == Status::Cancelled ? "interrupted"
                  : sender_->lastEndWasLoss() ? "lost"
                                              : "receiver left";
    return false;
}

int Sending::run() {
    ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL,
            0UL);  // wake within a microsecond of a frame's moment, not 50
    while (awaitReceiver() && sendOne()) {
        printDepartures();
        printNewNotes();
        if (progress_.due()) {
            progress_.figures(sender_->stats(), receiversText());
        }
    }
    return finish();
}

int Sending::finish() {
    const bool interrupted = exitReason_ == "interrupted";
    if (sender_->receiverCount() > 0) {
        if (!interrupted) {
            progress_.state("waiting for the viewer to receive everything");
        }
        // Interrupted, it says goodbye without waiting for the viewer; a second Ctrl-C ends the process.
        const Event never;
        if (sender_->finish(exitReason_, interrupted ? 1s : 30s, interrupted ? never : interruptEvent()) ==
            Status::TimedOut) {
            log().warn("a viewer did not receive the end of the stream in time");
        }
        if (!interrupted && interruptEvent().isSet()) {
            exitReason_ = "interrupted";
        }
    }
    printNewNotes();
    StreamStats stats = sender_->stats();
    const SourceCounters counters = source_->counters();
    if (counters.framesLost > 0) {
        progress_.note(fmt::format("note: the device lost or damaged {} pictures", counters.framesLost));
    }
    stats.framesCorrupt = counters.framesDamaged + counters.packetsUndecodable;
    figures_.reset();
    inputThread_.reset();
    sender_.reset();
    if (md5_) {
        md5_->finish();
    }
    writeStatsJson(options_.statsJson, StreamEnd::Sender, stats, exitReason_);
    progress_.note(fmt::format("sent {} ({})", summaryText(stats), exitReason_));
    if (stats.framesCorrupt > 0) {
        log().error("{} frames damaged, {} packets could not be decoded: the source is corrupt or truncated",
                    counters.framesDamaged, counters.packetsUndecodable);
        return static_cast<int>(ErrorKind::Corrupt);
    }
    if (exitReason_ == "lost") {
        return static_cast<int>(ErrorKind::Network);
    }
    if (stats.framesLost > 0) {
        log().error("{} frames were lost with the connection to their viewer", stats.framesLost);
        return static_cast<int>(ErrorKind::Corrupt);
    }
    return exitReason_ == "interrupted" ? 130 : 0;
}

}  // namespace verbcast
