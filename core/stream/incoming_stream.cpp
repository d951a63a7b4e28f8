#include "core/stream/incoming_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/base/log/trace.h"
#include "core/base/os/spin.h"
#include "core/base/os/wait_for.h"
#include "core/device/device_rings.h"
#include "core/flow/slot_count.h"
#include "core/multirail/rail_gathering.h"
#include "core/regions/region_choice.h"
#include "core/stream/link_features.h"

namespace verbcast {
namespace {

/// Does not spin for frames that come further apart than this.
constexpr TimestampNs kWorthSpinning = 10 * kSpin;
/// Rings are large, and may have been made for an unknown peer: they are kept this long for a sender that was
/// lost, and for no other.
constexpr std::chrono::seconds kRingsWait{10};

std::unique_ptr<DeviceReceiver> deviceFor(const IncomingOptions& options) {
    return options.device ? std::make_unique<DeviceReceiver>(options.device, options.copiesToDevice,
                                                             options.slots, options.maxMemory)
                          : nullptr;
}

std::unique_ptr<Gathering> gatheringFor(const IncomingOptions& options, ReceiverShared& shared) {
    if (options.takesRails) {
        return std::make_unique<RailGathering>(shared);
    }
    return std::make_unique<Gathering>(shared);
}

}  // namespace

StreamState stateAfter(const SessionEnd& end) {
    return end.kind == SessionEnd::Kind::Orderly ? StreamState::Ended : StreamState::Lost;
}

IncomingStream::IncomingStream(const IncomingOptions& options, OnEnd onEnd)
    : options_(options),
      onEnd_(std::move(onEnd)),
      shared_(checkedSlots(options.slots), checkedTracks(options.tracks), options.maxMemory),
      device_(deviceFor(options)),
      gathering_(gatheringFor(options, shared_)) {
    if (options.region) {
        shared_.choiceFor = [this](ReceiverLink& link, TrackId track) -> std::unique_ptr<FormatChoice> {
            if (track != kMainTrack) {
                return std::make_unique<FormatChoice>();
            }
            return std::make_unique<RegionChoice>(link, track, options_.region, options_.placer);
        };
    }
    if (device_) {
        shared_.ringsFor = [this](TrackId track, RingMemory::Owner owner, FramePath& path,
                                  TrackRecord& record) -> std::unique_ptr<RingSource> {
            path.useDevice(device_->device());
            return track == kMainTrack ? std::make_unique<DeviceRings>(*device_, shared_, owner, path, record)
                                       : nullptr;
        };
    }
    if (options.frameLock != nullptr) {
        displaySessions_.emplace(*options.frameLock);
    }
}

IncomingStream::~IncomingStream() {
    cancel();
    std::array<std::shared_ptr<Runner>, kMaxLanes> runners;
    {
        const std::lock_guard lock(mutex_);
        runners = std::move(runners_);
    }
}

bool IncomingStream::takes(const Hello& sender) const {
    const std::lock_guard lock(mutex_);
    return !connected() || gathering_->takesLink(sender);
}

std::string IncomingStream::attach(PeerConnection peer) {
    const std::lock_guard attaching(attaching_);
    const Hello sender = peer.hello;
    const bool others = connected();
    std::string news;
    {
        const std::lock_guard lock(mutex_);
        news = gathering_->linkBegins(peer, others);
    }
    try {
        begin(std::move(peer), gathering_->laneOf(sender), others);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        gathering_->linkFailed(sender);
        throw;
    }
    return news;
}

void IncomingStream::begin(PeerConnection peer, std::uint8_t lane, bool others) {
    if (!others) {
        connectStartedAt_ = peer.startedAt;
        instance_ = peer.hello.instance;
        framesBefore_ = shared_.totals[&StreamStats::framesTransferred].load();
        const std::lock_guard lock(inputMutex_);
        pendingInput_.clear();  // of the connection before: nobody will show it
    }
    std::shared_ptr<Runner> before;  // joined outside the lock
    const std::string reason = peer.reason;
    auto [link, attachment] = attachments_[lane].begin([&] {
        return std::make_unique<ReceiverLink>(
            std::move(peer), LinkOptions{options_.peerTimeout, options_.poll}, shared_, *gathering_, lane);
    });
    plugIn(*link, {.display = displaySessions_ ? &*displaySessions_ : nullptr});
    gathering_->plugIn(*link);
    const std::uint64_t frames = framesBefore_;
    if (const auto ended = runnerOf(lane)) {
        ended->link().hangUp();
    }
    {
        const std::lock_guard lock(mutex_);
        before = std::move(runners_[lane]);
        if (!others) {
            status_.channel = link->description();
            status_.trust = link->trust();
            status_.transportReason = reason;
        }
        if (cancelled_) {
            link->stop("the viewer stopped");
        }
        runners_[lane] = std::make_shared<Runner>(
            std::move(link), [this, frames, lane, mine = attachment](Runner& runner) {
                onEnd(runner, lane, frames);
                const bool mayComeBack = runner.end().kind == SessionEnd::Kind::Lost;
                attachments_[lane].end(mine, mayComeBack ? kRingsWait : kRingsWait.zero(), cancel_,
                                       [&] { runner.link().giveRingsBack(); });
            });
        // Only now: starting the thread may fail. onEnd() waits for the lock.
        connected_ |= 1U << lane;
        ++shared_.totals[&StreamStats::connections];
    }
    shared_.inbox.available().notify();
}

void IncomingStream::onEnd(Runner& runner, std::uint8_t lane, std::uint64_t framesBefore) {
    SessionEnd end = runner.end();
    ReceiverLink& link = runner.link();
    link.conclude();
    link.letGo();
    tellOfPeer(LogCategory::Stream, "sender ended", link.peer().name.value, "connection over {} ended: {}",
               link.description().transport, end.reason);
    bool others = false;
    {
        const std::lock_guard lock(mutex_);
        others = (connected_ & ~(1U << lane)) != 0;
        gathering_->linkEnded(link.peer(), end, others);
        if (others) {
            laneEnded(runner, lane);
        }
    }
    if (others) {
        detached_[lane].notify();
        shared_.inbox.available().notify();
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        status_.peerName = link.peer().name.value;
        if (auto format = link.format()) {
            lastFormat_ = std::move(format);
        }
        if (end.kind != SessionEnd::Kind::Stopped && !over_) {
            shared_.totals[&StreamStats::connectionsLost] += end.kind == SessionEnd::Kind::Orderly ? 0 : 1;
            noteEndLocked(end);
        }
        runner.conclude();
    }
    if (const auto failure = device_ ? device_->failure() : nullptr) {
        fail(failure);
    } else if (end.kind != SessionEnd::Kind::Stopped &&
               onEnd_(end, shared_.totals[&StreamStats::framesTransferred] != framesBefore)) {
        over_ = true;
    }
    connected_ &= ~(1U << lane);
    detached_[lane].notify();
    shared_.inbox.available().notify();
}

/// Call with mutex_ held. The stream goes on over others.
void IncomingStream::laneEnded(Runner& runner, std::uint8_t lane) {
    const SessionEnd& end = runner.end();
    if (end.isLoss()) {
        ++shared_.totals[&StreamStats::connectionsLost];
        const ReceiverLink& link = runner.link();
        warnOfPeer(LogCategory::Stream, "link of several gone", link.peer().name.value,
                   "{}: {}; the stream continues over the others",
                   gathering_->nameOf(link.peer(), link.description()), end.reason);
    }
    runner.conclude();  // from now on the lane's next connection may hang this one up
    connected_ &= ~(1U << lane);
}

bool IncomingStream::waitForEnd(std::uint8_t lane, Deadline deadline, const Event& cancel) {
    const auto ended = [&] { return (connected_ >> lane & 1U) == 0; };
    return waitFor(detached_[lane], ended, deadline, &cancel) == Status::Ok;
}

void IncomingStream::cancel() {
    cancelled_ = true;
    cancel_.notify();
    stopLinks("the viewer stopped");
}

void IncomingStream::setState(StreamState state, const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (!over_) {  // else how it ended stays
        status_.state = state;
        status_.text = text;
    }
}

void IncomingStream::noteEnd(const SessionEnd& end) {
    const std::lock_guard lock(mutex_);
    noteEndLocked(end);
}

void IncomingStream::noteEndLocked(const SessionEnd& end) {
    if (!over_) {
        status_.state = stateAfter(end);
        status_.text = status_.senderReason = end.reason;
    }
}

void IncomingStream::fail(const std::exception_ptr& failure) {
    {
        const std::lock_guard lock(mutex_);
        failure_ = failure;
        status_.state = StreamState::Failed;
        try {
            std::rethrow_exception(failure);
        } catch (const Error& error) {
            status_.text = error.what();
            status_.senderReason = error.remedy();
        } catch (const std::exception& error) {
            status_.text = error.what();
        }
    }
    close();
}

void IncomingStream::close() {
    over_ = true;
    shared_.inbox.available().notify();
}

std::shared_ptr<IncomingStream::Runner> IncomingStream::runnerOf(std::uint8_t lane) const {
    const std::lock_guard lock(mutex_);
    return runners_[lane];
}

std::shared_ptr<IncomingStream::Runner> IncomingStream::runnerToServe() const {
    const std::lock_guard lock(mutex_);
    const auto& runner = runners_.front();
    return runner && !runner->ended() && runner->link().loop().mayBeServed() ? runner : nullptr;
}

/// Call with mutex_ held. The first of those that are connected; else one that has ended, if any.
std::shared_ptr<IncomingStream::Runner> IncomingStream::primary() const {
    std::shared_ptr<Runner> ended;
    for (const auto& runner : runners_) {
        if (runner && !runner->ended()) {
            return runner;
        }
        ended = runner && !ended ? runner : ended;
    }
    return ended;
}

/// Waits for a frame from the link's thread, or for a change of the stream's state.
void IncomingStream::awaitChange(std::chrono::nanoseconds timeout) {
    ArmedEvent& available = shared_.inbox.available();
    available.arm();
    if (shared_.inbox.empty() && !over_) {
        waitReadable({available.descriptor(), cancel_.descriptor()}, timeout);
    }
    available.disarm();
}

bool IncomingStream::take(ReceivedFrame& frame) {
    if (!shared_.take(frame)) {
        return false;
    }
    if (auto& skipped = skipped_[frame.info.track]) {
        skipped->add(PictureChanges::of(frame.info));
        skipped->tellIn(frame.info);
        skipped.reset();
    }
    if (frame.info.track != kMainTrack) {
        return true;
    }
    const std::lock_guard lock(passageMutex_);
    const FrameInfo& info = frame.info;
    passage_ =
        Passage{elapsedNs(info.capturedAt, info.submittedAt), elapsedNs(info.submittedAt, info.postedAt),
                elapsedNs(frame.submittedAt, frame.arrivedAt), elapsedNs(frame.postedAt, frame.arrivedAt),
                frame.clockKnown};
    return true;
}

void IncomingStream::recordPassage() {
    const std::lock_guard lock(passageMutex_);
    if (!passage_) {
        return;
    }
    shared_.times[&StreamStats::stageCapture].record(passage_->captureTime);
    shared_.times[&StreamStats::stagePost].record(passage_->postTime);
    if (passage_->clockKnown) {
        shared_.times[&StreamStats::latency].record(passage_->latency);
        shared_.times[&StreamStats::stageWire].record(passage_->wireTime);
    }
    passage_.reset();
}

Status IncomingStream::finished() {
    const std::lock_guard lock(mutex_);
    if (failure_) {
        std::rethrow_exception(failure_);
    }
    return Status::Closed;
}

Status IncomingStream::receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout) {
    return device_ ? receiveOnDevice(frame, timeout, false) : takeNext(frame, timeout);
}

Status IncomingStream::receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout) {
    return device_ ? receiveOnDevice(frame, timeout, true) : takeNewest(frame, timeout);
}

Status IncomingStream::takeNext(ReceivedFrame& frame, std::chrono::nanoseconds timeout) {
    recordPassage();
    const TimestampNs began = nowNs();
    std::shared_ptr<Runner> runner = runnerToServe();
    TimestampNs expectedUntil = 0;
    Spinner spinner;
    for (TimestampNs now = began;; now = nowNs()) {
        const Served served = runner ? runner->link().loop().serve() : Served::Ended;
        if (take(frame)) {
            lastWait_ = now - began;
            spins_.giveBack(expectedUntil - now);
            return Status::Ok;
        }
        if (cancelled_) {
            return Status::Cancelled;
        }
        if (over_) {
            if (!shared_.inbox.empty()) {
                continue;  // arrived between the two checks
            }
            return finished();
        }
        const TimestampNs left = timeout.count() - (now - began);
        if (left <= 0) {
            return Status::TimedOut;
        }
        if (served == Served::Worked) {
            continue;
        }
        const bool soon = (now - began < kSpin && lastWait_ < kWorthSpinning) || now < expectedUntil;
        const bool spins = (options_.poll && connected_) || (served == Served::Idle && soon);
        if (spins) {
            spinner.turn();
            if (served == Served::Ended) {
                runner = runnerToServe();
            }
            continue;
        }
        if (runner && runner->link().loop().awaitNews(std::chrono::nanoseconds(left))) {
            expectedUntil = spins_.spinFor(runner->link().loop().frameDue(), nowNs());
        } else {
            awaitChange(std::chrono::nanoseconds(left));
            runner = runnerToServe();
        }
    }
}

Status IncomingStream::takeNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout) {
    const Status status = takeNext(frame, timeout);
    if (status == Status::Ok) {
        for (recordPassage(); !shared_.inbox.empty(); recordPassage()) {
            const TrackId track = frame.info.track;
            skipped_[track] = PictureChanges::of(frame.info);
            if (!take(frame)) {
                skipped_[track].reset();  // it is not skipped
                break;
            }
            shared_.totals[&StreamStats::framesSkipped] += track == kMainTrack ? 1 : 0;
        }
    }
    return status;
}

Status IncomingStream::receiveOnDevice(ReceivedFrame& frame, std::chrono::nanoseconds timeout, bool newest) {
    const Deadline deadline = Deadline::in(timeout);
    for (;;) {
        if (const Status room = device_->awaitRoom(deadline, cancel_); room != Status::Ok) {
            return room;
        }
        const Status status = newest ? takeNewest(frame, deadline.left()) : takeNext(frame, deadline.left());
        if (status != Status::Ok || frame.info.track != kMainTrack) {
            return status;
        }
        try {
            if (device_->land(frame, shared_.totals)) {
                return status;
            }
        } catch (const Error& error) {
            fail(std::current_exception());
            stopLinks(fmt::format("the viewer's device has failed: {}", error.what()));
            frame = {};
            throw;
        }
        shared_.countTakenBack(frame);
        frame = {};
    }
}

void IncomingStream::stopLinks(std::string_view reason) {
    const std::lock_guard lock(mutex_);
    for (const auto& runner : runners_) {
        if (runner) {
            runner->link().stop(reason);
        }
    }
}

void IncomingStream::frameShown(const ReceivedFrame& frame) {
    if (!frame.fits()) {
        return;
    }
    VERBCAST_TRACE_FRAME(frame_shown, frame.info);
    ++shared_.totals[&StreamStats::framesShown];
    const TimestampNs at = frame.shownAt != 0 ? frame.shownAt : nowNs();
    firstShownAfter_ = firstShownAfter_ == 0 ? at - connectStartedAt_ : firstShownAfter_.load();
    shared_.times[&StreamStats::stageShow].record(at - frame.arrivedAt);
    if (frame.clockKnown) {
        shared_.times[&StreamStats::latencyToScreen].record(at - frame.submittedAt);
    }
    if (frame.info.inputSequence != 0) {
        recordInputShown(frame.info.inputSequence, at);
    }
}

void IncomingStream::recordInputShown(std::uint64_t inputSequence, TimestampNs at) {
    const std::lock_guard lock(inputMutex_);
    while (!pendingInput_.empty() && pendingInput_.front().sequence <= inputSequence) {
        shared_.times[&StreamStats::inputToPicture].record(at - pendingInput_.front().sentAt);
        pendingInput_.pop_front();
    }
}

bool IncomingStream::inputAllowed() const {
    const std::lock_guard lock(mutex_);
    const auto runner = primary();
    return runner && !runner->ended() && runner->link().inputAllowed();
}

/// Call with mutex_ held. Uses one connection at a time, so that no event arrives twice, until it ends: what
/// was held is then released.
std::shared_ptr<IncomingStream::Runner> IncomingStream::inputRunner() {
    auto runner = inputRunner_.lock();
    if (!runner || runner->ended()) {
        runner = primary();
        inputRunner_ = runner;
    }
    return runner;
}

std::uint64_t IncomingStream::sendInput(const InputEvent& event) {
    constexpr std::size_t kMaxPending = 4096;
    if (event.data.size() > kMaxInputData) {
        throw Error(ErrorKind::Usage, fmt::format("an input event of {} bytes: at most {} expected",
                                                  event.data.size(), kMaxInputData));
    }
    const std::lock_guard lock(mutex_);
    const auto runner = inputRunner();
    if (!runner || runner->ended() || !runner->link().inputAllowed()) {
        return 0;
    }
    const std::lock_guard inputLock(inputMutex_);
    const TimestampNs now = nowNs();
    if (!runner->link().sendInput({lastInput_ + 1, event})) {
        return 0;
    }
    ++lastInput_;
    if (pendingInput_.size() == kMaxPending) {
        pendingInput_.pop_front();  // of a sender that shows no effects
    }
    pendingInput_.push_back({lastInput_, now});
    return lastInput_;
}

ReceiverStatus IncomingStream::status() const {
    const std::lock_guard lock(mutex_);
    ReceiverStatus status = status_;
    status.copyReason = device_ ? device_->reason() : "";
    const auto runner = primary();
    if (runner && !runner->ended() && !over_) {
        const ReceiverLink& link = runner->link();
        status.channel = link.description();
        status.peerName = link.peer().name.value;
        status.state = link.streaming() ? StreamState::Streaming : StreamState::Connected;
        status.text = fmt::format("{} {} over {}", link.streaming() ? "receiving from" : "connected to",
                                  status.peerName, status.channel.transport);
    }
    return status;
}

StreamStats IncomingStream::stats() {
    recordPassage();
    StreamStats stats;
    {
        const std::lock_guard lock(mutex_);
        stats.transport = status_.channel.transport;
        const auto runner = primary();
        const auto current = runner ? runner->link().format() : nullptr;
        if (const auto& format = current ? current : lastFormat_) {
            stats.format = *format;
        }
    }
    // In this order: what arrives meanwhile has not been taken.
    const std::uint64_t taken = shared_.framesTaken;
    shared_.totals.copyTo(stats);
    shared_.times.copyTo(stats);
    stats.framesSkipped = shared_.allSkipped() + (cancelled_ ? stats.framesTransferred - taken : 0);
    stats.rails = gathering_->stats();
    stats.seconds = static_cast<double>(shared_.lastAt - shared_.firstAt) * 1e-9;
    stats.connectToFirstShownMs = static_cast<double>(firstShownAfter_) * 1e-6;
    stats.clockErrorUs = static_cast<double>(shared_.clockError) / 1000.0;
    return stats;
}

}  // namespace verbcast
