#include "core/stream/incoming_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/base/log/trace.h"
#include "core/base/os/event.h"
#include "core/base/os/spin.h"
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

std::unique_ptr<Gathering> gatheringFor(const IncomingOptions& options, ReceiverShared& shared) {
    if (options.takesRails) {
        return std::make_unique<RailGathering>(shared);
    }
    return std::make_unique<Gathering>(shared);
}

std::vector<TrackContent> contentsOf(const IncomingOptions& options) {
    std::vector<TrackContent> contents{options.content};
    contents.reserve(checkedTracks(1 + options.further.size()));
    for (const TrackWish& wish : options.further) {
        contents.push_back(wish.content);
    }
    return contents;
}

}  // namespace

StreamState stateAfter(const SessionEnd& end) {
    return end.kind == SessionEnd::Kind::Orderly ? StreamState::Ended : StreamState::Lost;
}

IncomingStream::IncomingStream(const IncomingOptions& options, OnEnd onEnd)
    : options_(options),
      onEnd_(std::move(onEnd)),
      shared_(checkedSlots(options.slots), contentsOf(options), options.maxMemory),
      gathering_(gatheringFor(options, shared_)) {
    for (const IncomingTrack& track : shared_.tracks) {
        const TrackWish& wish = wishFor(track.id());
        devices_.push_back(wish.device ? std::make_unique<DeviceReceiver>(wish.device, wish.copiesToDevice,
                                                                          options.slots, options.maxMemory)
                                       : nullptr);
    }
    shared_.partsFor = [this](ReceiverLink& link, TrackId track, FramePath& path, TrackRecord& record) {
        TrackParts parts;
        if (const TrackWish& wish = wishFor(track); wish.region) {
            parts.choice = std::make_unique<RegionChoice>(link, track, wish.region, wish.placer);
        }
        if (DeviceReceiver* device = devices_[track].get()) {
            path.useDevice(device->device());
            parts.rings = std::make_unique<DeviceRings>(*device, shared_.ringMemory, link.ringOwner(track),
                                                        shared_.slots, path, record);
        }
        return parts;
    };
    if (options.frameLock != nullptr) {
        displaySessions_.emplace(*options.frameLock);
    }
}

const TrackWish& IncomingStream::wishFor(TrackId track) const {
    return track == 0 ? options_ : options_.further[track - 1U];
}

void IncomingStream::endLinks() {
    IncomingStream::cancel();
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
        framesBefore_ = shared_.received();
        const std::lock_guard lock(inputMutex_);
        pendingInput_.clear();  // of the connection before: nobody will show it
    }
    std::shared_ptr<Runner> before;  // joined outside the lock
    const std::string reason = peer.reason;
    auto [link, attachment] = attachments_[lane].begin([&] {
        return std::make_unique<ReceiverLink>(std::move(peer), options_, shared_, *gathering_, lane);
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
    wakeAll();
}

/// The state has changed.
void IncomingStream::wakeAll() {
    shared_.wake();
    for (const auto& device : devices_) {
        if (device) {
            device->wake();
        }
    }
    shared_.changes.note();
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
        shared_.wake();
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        status_.peerName = link.peer().name.value;
        for (const IncomingTrack& track : shared_.tracks) {
            if (auto format = link.format(track.id())) {
                lastFormats_[track.id()] = std::move(format);
            }
        }
        if (end.kind != SessionEnd::Kind::Stopped && !over_) {
            shared_.totals[&StreamStats::connectionsLost] += end.kind == SessionEnd::Kind::Orderly ? 0 : 1;
            noteEndLocked(end);
        }
        runner.conclude();
    }
    const auto failed = std::ranges::find_if(
        devices_, [](const auto& device) { return device && device->failure() != nullptr; });
    if (failed != devices_.end()) {
        fail((*failed)->failure());
    } else if (end.kind != SessionEnd::Kind::Stopped && onEnd_(end, shared_.received() != framesBefore)) {
        over_ = true;
    }
    connected_ &= ~(1U << lane);
    detached_[lane].notify();
    wakeAll();
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

void IncomingStream::interrupt(bool on) {
    interrupted_ = on;
    if (on) {
        wakeAll();
        const std::lock_guard lock(mutex_);
        for (const auto& runner : runners_) {
            if (runner) {
                runner->link().loop().rouseConsumer();
            }
        }
    }
}

void IncomingStream::leaveServing() {
    consumersServe_ = false;
    const std::lock_guard lock(mutex_);
    for (const auto& runner : runners_) {
        if (runner) {
            runner->link().loop().serveNoConsumer();
        }
    }
}

void IncomingStream::setState(StreamState state, const std::string& text) {
    {
        const std::lock_guard lock(mutex_);
        if (!over_) {  // else how it ended stays
            status_.state = state;
            status_.text = text;
        }
    }
    shared_.changes.note();
}

void IncomingStream::noteEnd(const SessionEnd& end) {
    {
        const std::lock_guard lock(mutex_);
        noteEndLocked(end);
    }
    shared_.changes.note();
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
    wakeAll();
}

std::shared_ptr<IncomingStream::Runner> IncomingStream::runnerOf(std::uint8_t lane) const {
    const std::lock_guard lock(mutex_);
    return runners_[lane];
}

std::shared_ptr<IncomingStream::Runner> IncomingStream::runnerToServe(TrackId track) const {
    const std::lock_guard lock(mutex_);
    const auto& runner = runners_.front();
    if (!consumersServe_ || !runner || runner->ended() || !runner->link().loop().mayBeServed()) {
        return nullptr;
    }
    // Who consumes one track of several may be busy with it while another's frame comes.
    return runner->link().bringsOnly(track) ? runner : nullptr;
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
void IncomingStream::awaitChange(std::chrono::nanoseconds timeout, IncomingTrack& track,
                                 IncomingTrack* other) {
    ArmedEvent& available = track.available();
    available.arm();
    if (other != nullptr) {
        other->available().arm();
    }
    if (track.empty() && !over_ && !interrupted_ && (other == nullptr || other->empty())) {
        waitReadable({available.descriptor(), cancel_.descriptor(),
                      other != nullptr ? other->available().descriptor() : -1},
                     timeout);
    }
    available.disarm();
    if (other != nullptr) {
        other->available().disarm();
    }
}

bool IncomingStream::arm(TrackId id) {
    IncomingTrack& track = shared_.tracks.at(id);
    track.available().arm();
    const bool waits = track.empty() ? !over_ : devices_[id] && !devices_[id]->hasRoom();
    return waits && !cancelled_ && !interrupted_;
}

void IncomingStream::leaseDropped(TrackId track) {
    if (devices_[track]) {
        shared_.tracks.at(track).wake();
    }
}

Status IncomingStream::finished() {
    const std::lock_guard lock(mutex_);
    if (failure_) {
        std::rethrow_exception(failure_);
    }
    return Status::Closed;
}

Status IncomingStream::receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout, TrackId track) {
    return receive(frame, timeout, shared_.tracks.at(track), false);
}

Status IncomingStream::receiveUnless(TrackId other, ReceivedFrame& frame, std::chrono::nanoseconds timeout,
                                     TrackId track) {
    return receive(frame, timeout, shared_.tracks.at(track), false, &shared_.tracks.at(other));
}

Status IncomingStream::receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout, TrackId track) {
    return receive(frame, timeout, shared_.tracks.at(track), true);
}

Status IncomingStream::takeNext(ReceivedFrame& frame, std::chrono::nanoseconds timeout, IncomingTrack& track,
                                IncomingTrack* other) {
    track.recordPassage();
    const TimestampNs began = nowNs();
    std::shared_ptr<Runner> runner = runnerToServe(track.id());
    TimestampNs expectedUntil = 0;
    Spinner spinner;
    for (TimestampNs now = began;; now = nowNs()) {
        const Served served = runner ? runner->link().loop().serve() : Served::Ended;
        if (track.take(frame)) {
            track.lastWait = now - began;
            track.spins.giveBack(expectedUntil - now);
            return Status::Ok;
        }
        if (cancelled_ || interrupted_) {
            return Status::Cancelled;
        }
        if (over_) {
            if (!track.empty()) {
                continue;  // arrived between the two checks
            }
            return finished();
        }
        const TimestampNs left = timeout.count() - (now - began);
        if (left <= 0 || (other != nullptr && !other->empty())) {
            return Status::TimedOut;
        }
        if (served == Served::Worked) {
            continue;
        }
        const bool soon = (now - began < kSpin && track.lastWait < kWorthSpinning) || now < expectedUntil;
        const bool spins = (options_.poll && connected_) || (served == Served::Idle && soon);
        if (spins) {
            spinner.turn();
            if (served == Served::Ended) {
                runner = runnerToServe(track.id());
            }
            continue;
        }
        if (runner && runner->link().loop().awaitNews(std::chrono::nanoseconds(left))) {
            expectedUntil = track.spins.spinFor(runner->link().loop().frameDue(), nowNs());
        } else {
            awaitChange(std::chrono::nanoseconds(left), track, other);
            runner = runnerToServe(track.id());
        }
    }
}

Status IncomingStream::takeNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout,
                                  IncomingTrack& track) {
    const Status status = takeNext(frame, timeout, track);
    if (status == Status::Ok) {
        for (track.recordPassage(); !track.empty(); track.recordPassage()) {
            track.passOver(frame);
            if (!track.take(frame)) {
                track.keep();
                break;
            }
            ++track.counts[&StreamStats::framesSkipped];
        }
    }
    return status;
}

/// Waits until the device has room for a frame; ends as takeNext() does.
Status IncomingStream::awaitRoom(DeviceReceiver& device, const IncomingTrack& track,
                                 const Deadline& deadline) {
    const Status status =
        device.awaitRoom([&] { return interrupted_ || (over_ && track.empty()); }, deadline, cancel_);
    if (status != Status::Ok || device.hasRoom()) {
        return status;
    }
    return over_ && track.empty() ? finished() : Status::Cancelled;
}

Status IncomingStream::receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout, IncomingTrack& track,
                               bool newest, IncomingTrack* other) {
    DeviceReceiver* const device = devices_[track.id()].get();
    const Deadline deadline = device != nullptr ? Deadline::in(timeout) : Deadline::never();
    for (;;) {
        if (device != nullptr) {
            if (const Status room = awaitRoom(*device, track, deadline); room != Status::Ok) {
                return room;
            }
            timeout = deadline.left();
        }
        const Status status =
            newest ? takeNewest(frame, timeout, track) : takeNext(frame, timeout, track, other);
        if (status != Status::Ok || device == nullptr) {
            return status;
        }
        try {
            if (device->land(frame, shared_.totals)) {
                return status;
            }
        } catch (const Error& error) {
            fail(std::current_exception());
            stopLinks(fmt::format("the viewer's device has failed: {}", error.what()));
            frame = {};
            throw;
        }
        track.countTakenBack(frame);
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
    IncomingTrack& track = of(frame);
    ++track.counts[&StreamStats::framesShown];
    const TimestampNs at = frame.shownAt != 0 ? frame.shownAt : nowNs();
    firstShownAfter_ = firstShownAfter_ == 0 ? at - connectStartedAt_ : firstShownAfter_.load();
    track.times[&StreamStats::stageShow].record(at - frame.arrivedAt);
    if (frame.clockKnown) {
        track.times[&StreamStats::latencyToScreen].record(at - frame.submittedAt);
    }
    if (frame.info.inputSequence != 0) {
        recordInputShown(frame.info.inputSequence, at);
    }
}

void IncomingStream::recordInputShown(std::uint64_t inputSequence, TimestampNs at) {
    const std::lock_guard lock(inputMutex_);
    while (!pendingInput_.empty() && pendingInput_.front().sequence <= inputSequence) {
        shared_.first().times[&StreamStats::inputToPicture].record(at - pendingInput_.front().sentAt);
        pendingInput_.pop_front();
    }
}

bool IncomingStream::inputAllowed() const {
    const std::lock_guard lock(mutex_);
    const auto runner = primary();
    return runner && !runner->ended() && runner->link().inputAllowed();
}

bool IncomingStream::hasSound() const {
    const std::lock_guard lock(mutex_);
    const auto runner = primary();
    return runner && !runner->ended() && runner->link().hasSound();
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
    status.copyReason = devices_.front() ? devices_.front()->reason() : "";
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

StreamStats IncomingStream::stats(TrackId id) {
    IncomingTrack& track = shared_.tracks.at(id);
    track.recordPassage();
    StreamStats stats;
    shared_.totals.copyTo(stats);
    {
        const std::lock_guard lock(mutex_);
        stats.transport = status_.channel.transport;
        const auto runner = primary();
        const auto current = runner ? runner->link().format(id) : nullptr;
        if (const auto& format = current ? current : lastFormats_[id]) {
            stats.format = *format;
        }
        stats.rails = gathering_->stats();
    }
    track.addTo(stats, cancelled_);
    stats.connectToFirstShownMs = static_cast<double>(firstShownAfter_) * 1e-6;
    stats.clockErrorUs = static_cast<double>(shared_.clockError) / 1000.0;
    if (id == kMainTrack) {
        stats.sound = soundStats();
    }
    return stats;
}

/// Returns nullopt before any was taken.
std::optional<SoundStats> IncomingStream::soundStats() {
    if (shared_.tracks.size() <= kSoundTrack) {
        return std::nullopt;
    }
    IncomingTrack& track = shared_.tracks[kSoundTrack];
    const auto format = track.soundFormat();
    if (!format) {
        return std::nullopt;
    }
    track.recordPassage();
    StreamStats counted;
    track.addTo(counted, cancelled_);
    return SoundStats{.format = *format,
                      .blocks = counted.framesTransferred,
                      .blocksMissing = counted.framesDropped,
                      .bytes = counted.bytes,
                      .delay = counted.latency};
}

}  // namespace verbcast
