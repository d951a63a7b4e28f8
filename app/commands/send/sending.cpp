#include "app/commands/send/sending.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "app/cli/frame_lock_words.h"
#include "app/host/interrupt.h"
#include "core/base/log/log.h"
#include "core/base/os/early_wake.h"
#include "core/base/os/whole_file.h"
#include "core/base/text/counted.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;
constexpr const char* kNobodyCame = "no viewer came";
constexpr std::chrono::seconds kRingPatience{2};  // for a viewer to create its ring
/// For a picture, while sound goes on.
constexpr std::chrono::nanoseconds kSoundTurn(static_cast<std::int64_t>(kSoundStep * 1e9));
constexpr std::chrono::nanoseconds kLongestWait = 1s;  // for a picture, without looking after other things
constexpr std::chrono::nanoseconds kLongPause = 10s;   // of which people are told

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

std::string OneOfSeveral::prefix() const {
    return fmt::format("stream {}: ", label.number);
}

Sending::Sending(const SendingOptions& options, std::unique_ptr<FrameSource> source,
                 const OneOfSeveral* several, SentBeside beside)
    : options_(options),
      ownProgress_(several == nullptr ? std::make_unique<SharedProgress>(options.verbosity) : nullptr),
      progress_(several == nullptr ? StreamProgress(*ownProgress_, "")
                                   : StreamProgress(several->progress, several->prefix())),
      source_(std::move(source)),
      right_(std::move(beside.right)),
      sound_(std::move(beside.sound)),
      policy_(options.policy.value_or(source_->isLive() ? Policy::Latest : Policy::Lossless)),
      pacer_(options.pacing, options.rate, source_->mayJump()),
      limits_(options, *source_, policy_),
      changes_(options.changes) {
    if (ownProgress_) {
        checkWritable(options.statsJson);
    }
    if (!options.frameMd5.empty()) {
        md5_ = std::make_unique<FrameMd5Writer>(options.frameMd5);
    }
    std::unique_ptr<InputInjector> injector = options.sender.allowInput ? injectorOf(*source_) : nullptr;
    SenderOptions sender = senderOptions(options, policy_);
    if (sound_) {
        sender.hasSound = sound_->isExpected();
        sender.policies[kSoundTrack] = sound_->policyBeside(policy_);
    }
    sender_ = std::make_unique<Broadcast>(sender);
    if (sound_) {
        sound_->start(*sender_);
    }
    if (injector) {
        inputThread_ = std::make_unique<InputThread>(*sender_, std::move(injector));
    }
    if (several != nullptr) {
        watch(several->stats, several->label, several->commands);
    } else {
        watch(options.statsDescriptor < 0 ? nullptr : std::make_shared<StatsOutput>(options.statsDescriptor),
              {}, options.control ? STDIN_FILENO : -1);
    }
    printNewNotes();
    for (const std::string& note : beside.notes) {
        progress_.news("sound note", "note: " + note);
    }
    tellDecoding();
    if (options.verbosity == Verbosity::Verbose) {
        progress_.note(fmt::format("{}: {}, policy {}", source_->describe(), contentText(),
                                   policy_ == Policy::Latest ? "latest" : "lossless"));
    }
}

/// Lets another program see the statistics, and control the playback.
void Sending::watch(std::shared_ptr<StatsOutput> stats, const std::optional<StatsLabel>& label,
                    int commands) {
    if (stats) {
        stats_ = std::make_unique<StatsStream>(std::move(stats), *sender_, options_.sender.trust.book, label);
    }
    if (commands >= 0) {
        control_ = std::make_unique<PlaybackControl>(commands, *source_, stats_.get());
    }
}

void Sending::printNewNotes() {
    const std::vector<std::string> notes = source_->notes();
    for (; notesPrinted_ < notes.size(); ++notesPrinted_) {
        progress_.news("note", "note: " + notes[notesPrinted_]);
    }
    for (const std::string& note : source_->takeNews()) {
        progress_.news("note", "note: " + note);
    }
    if (sound_) {
        for (const std::string& note : sound_->takeNotes()) {
            progress_.news("sound note", "note: " + note);
        }
    }
}

void Sending::tellDecoding() {
    if (const DecodingStats* decoding = stats_ ? source_->decoding() : nullptr) {
        stats_->setDecoding(*decoding);
    }
}

void Sending::printDepartures() {
    for (const std::string& departure : sender_->takeDepartures()) {
        progress_.news("departure", departure);
    }
}

/// Of a source that has no pictures yet, who brings its sound.
std::string Sending::contentText() const {
    return source_->format().width > 0 ? verbcast::describe(source_->format()) : source_->describe();
}

std::string Sending::waitingText() const {
    if (options_.sender.listen) {
        return fmt::format("waiting for a viewer on {}", fmt::join(sender_->listenAddresses(), ", "));
    }
    const std::string end = sender_->lastEnd().reason;
    if (!end.empty() && end != toldEnd_) {
        return fmt::format("connecting to {}: {}; trying again", options_.sender.url.text(), end);
    }
    return fmt::format("connecting to {} (waiting until a viewer listens there)", options_.sender.url.text());
}

bool Sending::awaitReceiver() {
    if (connectedOnce_) {
        if (sender_->receiverCount() > 0) {
            return true;
        }
        printDepartures();
        if (ready_ && ready_->status == Status::Closed) {
            exitReason_ = "end of stream";
            return false;
        }
        toldEnd_ = sender_->lastEnd().reason;
        progress_.news("no viewer", fmt::format("last viewer left: {}", toldEnd_));
        pacer_.restart();  // the preview counts frames from 0
    }
    const TimestampNs begunAt = nowNs();
    for (;;) {
        progress_.state(waitingText());
        const bool preview = previewing();
        const bool passing = !preview && policy_ == Policy::Latest && source_->isFed();
        if ((preview && !previewOne()) || (passing && !keepNewest())) {
            return false;
        }
        switch (sender_->waitForReceiver(preview || passing ? 0s : untilNextLook(), interruptEvent())) {
            case Status::Ok: {
                connectedOnce_ = firstOfConnection_ = true;
                pacer_.restart();
                limits_.extend(std::chrono::nanoseconds(nowNs() - begunAt));
                const auto receivers = sender_->receivers();
                if (!receivers.empty()) {
                    const auto& channel = receivers.front().channel;
                    progress_.news("sending", fmt::format("sending {} to {} over {} ({}; {}; {})",
                                                          contentText(), channel.peer, channel.transport,
                                                          sender_->transportReason(), channel.detail,
                                                          shortName(receivers.front().trust.protection)));
                }
                return true;
            }
            case Status::Closed:
                if (sender_->stats().connections == 0) {
                    const SessionEnd end = sender_->lastEnd();
                    refusal_ =
                        Error(end.errorKind(), fmt::format("{}: {}", options_.sender.url.text(), end.reason));
                }
                exitReason_ = sender_->lastEnd().isLoss() ? "lost" : refusal_ ? "refused" : "receiver left";
                return false;
            default:
                break;
        }
        if (interruptEvent().isSet()) {
            exitReason_ = "interrupted";
            return false;
        }
        if (!connectedOnce_ && options_.patience && untilNextLook() <= 0ns) {
            exitReason_ = kNobodyCame;
            return false;
        }
    }
}

std::chrono::nanoseconds Sending::untilNextLook() const {
    constexpr std::chrono::nanoseconds kLongest = 1s;
    if (connectedOnce_ || !options_.patience) {
        return kLongest;
    }
    const std::chrono::nanoseconds waited(nowNs() - begunAt_);
    return std::clamp(*options_.patience - waited, std::chrono::nanoseconds(0), kLongest);
}

bool Sending::previewing() const {
    // A file waits for its viewer; a live source is shown in the preview meanwhile.
    return policy_ == Policy::Latest && source_->isLive() && sender_->previewWatched();
}

bool Sending::previewOne() {
    CapturedFrame frame;
    frame.format = source_->format();
    if (const Status status = paceAndCapture(frame, previewed_); status != Status::Ok) {
        return status == Status::TimedOut;
    }
    ++previewed_;
    newest_.reset();  // it is older
    changes_.skip();
    FrameInfo info;
    info.pts = frame.pts;
    info.flags = frame.flags;
    info.capturedAt = frame.capturedAt;
    sender_->submitPreview(std::move(frame.lease), frame.format, info);
    return true;
}

/// Whoever sends to us does not wait until a viewer comes, who then sees what is new.
bool Sending::keepNewest() {
    CapturedFrame frame;
    frame.format = source_->format();
    const Status status = paceAndCapture(frame, 0);
    if (status == Status::Ok) {
        newest_ = std::move(frame);
        changes_.skip();
    }
    return status == Status::Ok || status == Status::TimedOut;
}

Status Sending::waitForTurn(std::uint64_t index, std::int64_t pts, Rational timeBase) {
    const TimestampNs now = nowNs();
    const TimestampNs due = pacer_.due(index, pts, timeBase, now);
    const double media = static_cast<double>(pts) * timeBase.value();
    const bool sounds = sound_ && isDueBefore(sound_->moreDue(), media);
    const std::chrono::nanoseconds longest = sounds ? kSoundTurn : kLongestWait;
    if (due - now <= longest.count()) {
        const bool waited = sender_->waitUntilDue(due, interruptEvent());
        return waited && !interruptEvent().isSet() ? Status::Ok : Status::Cancelled;
    }
    if (!std::exchange(saidPause_, true) && due - now > kLongPause.count()) {
        progress_.news("pause", fmt::format("the next picture is due in {:.0f} s",
                                            static_cast<double>(due - now) * 1e-9));
    }
    const std::chrono::nanoseconds part = std::min(longest, limits_.left());
    if (control_ && sender_->receiverCount() > 0) {
        control_->waitForCommand(*sender_, part, interruptEvent());
    } else {
        waitUntil(now + part.count(), interruptEvent());
    }
    if (interruptEvent().isSet()) {
        return Status::Cancelled;
    }
    const double left = static_cast<double>(due - nowNs()) * 1e-9;
    return sounds && sound_->sendMore(media - left, *sender_, interruptEvent()) == Status::Cancelled
               ? Status::Cancelled
               : Status::TimedOut;
}

Status Sending::paceAndCapture(CapturedFrame& frame, std::uint64_t index) {
    const bool whenDue = source_->isLive() || source_->pacesItself();
    const Status status = whenDue ? captureWhenDue(frame, index) : captureAhead(frame, index);
    if (status == Status::Closed || status == Status::Cancelled) {
        exitReason_ = status == Status::Closed ? "end of stream" : "interrupted";
    }
    return status;
}

// A live picture is captured when it is due; a device, and what is relayed, paces itself.
Status Sending::captureWhenDue(CapturedFrame& frame, std::uint64_t index) {
    if (!source_->pacesItself()) {
        const Rational rate = source_->format().frameRate;
        const Rational frameTime =
            rate.value() > 0 ? Rational{rate.denominator, rate.numerator} : Rational{1, 60};
        const Status due = waitForTurn(index, static_cast<std::int64_t>(index), frameTime);
        if (due != Status::Ok) {
            return due;
        }
    }
    return captureNext(frame);
}

// A decoded picture is ready and waits until it is due, and so does the end: the last one is shown as long as
// it lasts.
Status Sending::captureAhead(CapturedFrame& frame, std::uint64_t index) {
    if (!ready_) {
        // Reading and decoding keep the processor for milliseconds, on which the viewer may just have been
        // woken.
        std::this_thread::yield();
        const Status status = captureNext(frame);
        const bool ends = status == Status::Closed && last_.duration > 0;
        if (status != Status::Ok && !ends) {
            return status;
        }
        if (status == Status::Ok) {
            last_ = {frame.pts, frame.duration, frame.format.timeBase};
        } else {
            last_ = {last_.pts + last_.duration, 0, last_.timeBase};
        }
        ready_ = Ready{status, std::move(frame), nowNs()};
    }
    if (const Status due = waitForTurn(index, last_.pts, last_.timeBase); due != Status::Ok) {
        return due;
    }
    const Status status = ready_->status;
    frame = std::move(ready_->frame);
    frame.capturedAt += nowNs() - ready_->since;  // waiting for its turn is not part of capturing
    ready_.reset();
    saidPause_ = false;
    return status;
}

/// A stream of sound alone begins with its sound.
Status Sending::captureNext(CapturedFrame& frame) {
    const Status status = source_->capture(frame, interruptEvent());
    if (sound_ && sound_->sendMeanwhile(*sender_, interruptEvent()) && sender_->receiverCount() > 0) {
        limits_.begin();
        if (control_ && status == Status::TimedOut) {
            control_->countSent();
        }
    }
    return status;
}

PictureChanges Sending::lookForChanges(const CapturedFrame& frame) {
    // Buffers of a graphics card can be read, but slowly.
    return isInDevice(frame.lease) || options_.memory == PictureMemory::DmaBuf
               ? changes_.look(frame.format, nullptr, frame.changed, false)
               : changes_.look(frame.format, frame.lease.data(), frame.changed, sender_->framesTravel());
}

bool Sending::sendOne() {
    CapturedFrame frame;
    if (limits_.framesReached()) {
        exitReason_ = "frames";
        return false;
    }
    frame.format = source_->format();
    if (limits_.timeReached(frame.format)) {
        exitReason_ = "duration";
        return false;
    }
    if (control_) {
        const auto turn = control_->follow(*sender_, limits_.left(), interruptEvent(),
                                           ready_ && ready_->status == Status::Ok);
        if (turn == PlaybackControl::Turn::Held) {
            return true;  // the caller looks which viewers have left
        }
        if (turn == PlaybackControl::Turn::Elsewhere) {
            ready_.reset();
        }
        if (turn != PlaybackControl::Turn::Next) {
            pacer_.restart();
        }
    }
    if (newest_) {
        frame = std::move(*newest_);
        newest_.reset();
    } else if (const Status status = paceAndCapture(frame, limits_.submitted()); status != Status::Ok) {
        return status == Status::TimedOut;  // as when held
    }
    limits_.begin();
    FrameInfo info;
    info.pts = frame.pts;
    info.flags = frame.flags;
    info.capturedAt = frame.capturedAt;
    info.inputSequence = frame.inputSequence;
    lookForChanges(frame).tellIn(info);
    if (md5_) {
        FrameInfo named = info;
        named.sequence = limits_.submitted();
        md5_->write(frame.format, named, payload_.of(frame.lease, frame.format.payloadBytes));
    }
    Status status = sender_->submit(std::move(frame.lease), frame.format, info, interruptEvent());
    while (status == Status::Busy) {
        if (!awaitReceiver()) {
            return false;
        }
        status = sender_->submit(std::move(frame.lease), frame.format, info, interruptEvent());
    }
    if (status == Status::Ok && !sendBeside(info, frame.format.timeBase)) {
        return false;
    }
    if (status == Status::Ok) {
        limits_.countSubmitted();
        if (control_) {
            control_->countSent();
        }
        holdUntilAccepted();
        return true;
    }
    exitReason_ = status == Status::Cancelled   ? "interrupted"
                  : sender_->lastEnd().isLoss() ? "lost"
                                                : "receiver left";
    return false;
}

/// Returns false if the stream ends.
bool Sending::sendBeside(const FrameInfo& picture, Rational timeBase) {
    return (!right_ || sendRight(picture, timeBase)) && (!sound_ || sendSound(picture, timeBase));
}

bool Sending::sendSound(const FrameInfo& picture, Rational timeBase) {
    PlaceOfPicture place{.media = static_cast<double>(picture.pts) * timeBase.value(),
                         .capturedAt = picture.capturedAt};
    if (Playback* playback = source_->playback()) {
        place.position = playback->position();
    }
    if (sound_->sendWith(place, *sender_, interruptEvent()) != Status::Cancelled) {
        return true;
    }
    exitReason_ = "interrupted";
    return false;
}

/// What lasts longer than the pictures.
void Sending::sendRestOfSound() {
    for (auto due = sound_->moreDue(); due && sender_->receiverCount() > 0; due = sound_->moreDue()) {
        const auto milliseconds = static_cast<std::int64_t>(*due * 1000);
        const Status turn = waitForTurn(limits_.submitted(), milliseconds, {1, 1000});
        if (turn == Status::TimedOut) {
            continue;
        }
        if (turn != Status::Ok || sound_->sendMore(*due, *sender_, interruptEvent()) == Status::Cancelled) {
            exitReason_ = "interrupted";
            return;
        }
    }
}

/// Returns false if the stream ends. A right picture whose viewer has just gone stays away: a left one
/// follows.
bool Sending::sendRight(const FrameInfo& left, Rational timeBase) {
    const Status status = right_->sendWith(left, timeBase, *sender_, interruptEvent());
    if (status == Status::Cancelled || (status == Status::Closed && sender_->receiverCount() > 0)) {
        exitReason_ = status == Status::Closed ? "end of the right pictures" : "interrupted";
        return false;
    }
    return true;
}

void Sending::holdUntilAccepted() {
    if (!std::exchange(firstOfConnection_, false) || policy_ != Policy::Lossless) {
        return;
    }
    // A viewer creates its ring first; frames due meanwhile would all be sent at once afterwards.
    const TimestampNs submittedAt = nowNs();
    static_cast<void>(sender_->waitUntilSent(kRingPatience, interruptEvent()));
    pacer_.postpone(nowNs() - submittedAt);
}

/// Whatever becomes of the file, it is the error that counts.
void Sending::writeStatsOf(const Error& error) const {
    try {
        if (ownProgress_) {
            writeStatsJson(options_.statsJson, [&] {
                return statsJson(StreamEnd::Sender, sender_->stats(),
                                 std::string(errorKindName(error.kind())), options_.numa);
            });
        }
    } catch (const Error& unwritten) {
        log().error("{}", unwritten.what());
    }
}

int Sending::run() {
    wakeExactly();
    try {
        while (awaitReceiver() && sendOne()) {
            printDepartures();
            printNewNotes();
            tellDecoding();
            if (progress_.due()) {
                const StreamStats stats = sender_->stats();
                progress_.statistics(stats, viewersText(stats));
            }
        }
        if (sound_ && exitReason_ == "end of stream") {
            sound_->awaitEnd(interruptEvent());
            sendRestOfSound();
        }
    } catch (const Error& error) {
        writeStatsOf(error);
        throw;
    }
    return finish();
}

StreamStats Sending::stats() const {
    const std::lock_guard lock(ending_);
    return lastStats_ ? *lastStats_ : sender_->stats();
}

int Sending::finish() {
    const bool interrupted = exitReason_ == "interrupted";
    if (sender_->receiverCount() > 0) {
        if (!interrupted) {
            progress_.state("waiting for the viewer to receive everything");
        }
        // When interrupted, say goodbye without waiting for the viewer; a second Ctrl-C ends the process.
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
    tellDecoding();
    StreamStats stats = sender_->stats();
    if (const DecodingStats* decoding = source_->decoding()) {
        stats.decoding = *decoding;
    }
    const SourceCounters counters = source_->counters();
    if (counters.framesLost > 0) {
        progress_.note(
            fmt::format("note: the source lost or damaged {}", counted(counters.framesLost, "picture")));
    }
    stats.framesCorrupt = counters.framesDamaged + counters.packetsUndecodable;
    const bool sourceLost = source_->wasLost();
    control_.reset();
    stats_.reset();
    inputThread_.reset();
    sound_.reset();
    ready_.reset();
    newest_.reset();
    source_.reset();  // before the leases of frames that viewers may still read
    {
        const std::lock_guard lock(ending_);
        lastStats_ = stats;
        sender_.reset();
    }
    if (md5_) {
        md5_->finish();
    }
    if (ownProgress_) {
        writeStatsJson(options_.statsJson,
                       [&] { return statsJson(StreamEnd::Sender, stats, exitReason_, options_.numa); });
    }
    progress_.note(fmt::format("sent {} ({})", summaryText(stats), exitReason_));
    for (const std::string& line : viewerLines(stats)) {
        progress_.note(line);
    }
    if (stats.frameLock) {
        for (const std::string& line : frameLockLines(*stats.frameLock)) {
            progress_.note(line);
        }
    }
    if (refusal_) {
        throw Error(*refusal_);
    }
    if (stats.framesCorrupt > 0) {
        log().error("{} damaged, {} could not be decoded: the source is corrupt or truncated",
                    counted(counters.framesDamaged, "frame"), counted(counters.packetsUndecodable, "packet"));
        return static_cast<int>(ErrorKind::Corrupt);
    }
    if (exitReason_ == kNobodyCame) {
        log().error("no viewer connected within {:g} s (--wait)",
                    std::chrono::duration<double>(*options_.patience).count());
        return static_cast<int>(ErrorKind::Network);
    }
    if (exitReason_ != "lost" && stats.framesLost > 0) {
        log().error("{} lost with the connection to the viewer",
                    counted(stats.framesLost, "frame was", "frames were"));
        return static_cast<int>(ErrorKind::Corrupt);
    }
    if (exitReason_ == "interrupted") {
        return 130;
    }
    if (sourceLost) {
        log().error("the sender was lost");
    }
    return exitReason_ == "lost" || sourceLost ? static_cast<int>(ErrorKind::Network) : 0;
}

}  // namespace verbcast
