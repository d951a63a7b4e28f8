#include "core/stream/audience.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/multicast/group_source_path.h"
#include "core/multirail/rail_viewer.h"
#include "core/stream/link_features.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxDepartures = 1024;
// Each takes some microseconds of those that a sender wakes ahead.
constexpr std::size_t kMostToWake = 4;
// A source that waits looks twice a second: after so long its thread has not run.
constexpr TimestampNs kLongestLook = 1'000'000'000;

/// Returns what call() threw, if anything.
template <typename Call>
std::exception_ptr failureOf(Call&& call) {
    try {
        call();
        return nullptr;
    } catch (const std::exception&) {
        return std::current_exception();
    }
}

}  // namespace

Audience::Audience(const AudienceOptions& options)
    : options_(options),
      shared_(options.slots, options),
      backlogs_(shared_.totals[&StreamStats::framesLost]),
      patience_(options.patience) {
    shared_.heldLimit = options.heldLimit;
    if (options.sync != SyncMode::Off) {
        frameLock_.emplace(PresentationOptions{.mode = options.sync,
                                               .patience = options.peerTimeout,
                                               .slots = options.slots,
                                               .lossless = !mayDrop(options.policyOf(0))});
    }
}

Audience::~Audience() {
    std::vector<std::unique_ptr<Viewer>> viewers;
    std::vector<std::unique_ptr<Runner>> ending;  // destroyed first: their threads use the viewers
    {
        const std::lock_guard lock(mutex_);
        viewers.swap(viewers_);
        for (const auto& viewer : viewers) {
            viewer->removeAll(ending);
        }
    }
    for (const auto& runner : ending) {
        runner->link().stop("the sender stopped");
    }
}

template <typename Visit>
void Audience::eachAlive(Visit&& visit) const {
    for (const auto& viewer : viewers_) {
        if (viewer->alive()) {
            visit(*viewer);
        }
    }
}

void Audience::stop(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    for (const auto& viewer : viewers_) {
        viewer->eachLink([&](SenderLink& link) { link.endBecause(reason); });
    }
}

/// The viewer of which that caller's connection is one more; null: it is a new one.
Viewer* Audience::viewerOf(const Hello& caller) const {
    const auto found =
        std::ranges::find_if(viewers_, [&](const auto& viewer) { return viewer->takesLink(caller); });
    return found == viewers_.end() ? nullptr : found->get();
}

bool Audience::serves(const Hello& caller) const {
    const std::lock_guard lock(mutex_);
    return viewerOf(caller) != nullptr;
}

std::optional<Refuse> Audience::objectionTo(const Hello& caller) const {
    const std::lock_guard lock(mutex_);
    const Viewer* viewer = viewerOf(caller);
    return viewer != nullptr ? viewer->objectionTo(caller) : std::nullopt;
}

std::unique_ptr<Viewer> Audience::makeViewer(const PeerConnection& peer, std::uint64_t id) {
    const bool yielding = yields(peer);
    auto account = accounts_.join(id, peer.hello.instance);
    if (peer.hello.isRail()) {
        return std::make_unique<RailViewer>(shared_, id, yielding, std::move(account), peer.hello);
    }
    return std::make_unique<Viewer>(shared_, id, yielding, std::move(account));
}

std::shared_ptr<const Event> Audience::add(PeerConnection peer) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t id = ++past_.connections;
    past_.lastReason = peer.reason;
    Viewer* viewer = viewerOf(peer.hello);
    const bool fresh = viewer == nullptr;
    if (fresh) {
        viewers_.reserve(viewers_.size() + 1);
        viewers_.push_back(makeViewer(peer, id));
        viewer = viewers_.back().get();
    }
    const std::string name = peer.hello.name.value;
    const std::string transport = peer.connection.messages->description().transport;
    std::shared_ptr<const Event> ended;
    try {
        ended = begin(std::move(peer), id, *viewer);
    } catch (...) {
        if (fresh && viewer->empty()) {
            viewers_.pop_back();
            accounts_.abandon(id);
        }
        throw;
    }
    countKeptSlots();
    tellOfPeer(LogCategory::Stream, "receiver joined", name, "{} joined over {}", name, transport);
    shared_.progress.notify();
    if (options_.joined != nullptr) {
        options_.joined->notify();
    }
    return ended;
}

std::shared_ptr<const Event> Audience::begin(PeerConnection peer, std::uint64_t id, Viewer& viewer) {
    const Hello hello = peer.hello;
    auto ended = std::make_shared<const Event>();
    if (const std::string news = viewer.linkBegins(peer); !news.empty()) {
        noteDeparture(news);
    }
    try {
        sendByGroup(peer, viewer.yields() ? nullptr : options_.group);
        std::vector<QueuedFrame> missed = backlogs_.missedBy(hello.instance);
        auto link = std::make_unique<SenderLink>(std::move(peer), options_, viewer, id,
                                                 missed.empty() ? current_ : std::vector<CurrentFormat>{});
        plugIn(*link, {.input = options_.allowInput ? &shared_.input : nullptr, .frameLock = frameLock()});
        anyYields_ = anyYields_ || viewer.yields();
        for (SlotBudget& budget : shared_.budgets) {
            for (const SlotBudget::Holder slow : budget.join(id, nowNs(), viewer.id())) {
                evict(slow);
            }
        }
        link->resend(std::move(missed));
        viewer.run(std::move(link), [this, ended](Runner& runner) {
            onEnd(runner);
            ended->notify();
        });
    } catch (...) {
        viewer.linkEnded(hello, true);
        throw;
    }
    backlogs_.servedNow(hello.instance);
    if (finished_) {
        viewer.finish(finishReason_);  // a link that came back meanwhile
    }
    return ended;
}

void Audience::countKeptSlots() {
    std::uint32_t most = 0;
    eachAlive([&](const Viewer& viewer) { most = std::max(most, viewer.keptSlots()); });
    keptSlots_ = most;
}

/// A peer that has held others up for too long gets no promise again.
bool Audience::yields(const PeerConnection& peer) {
    const ConnectionDescription& channel = peer.connection.messages->description();
    if (!options_.anyLossless() || !patience_.spent(holderOf(channel, peer.trust), nowNs())) {
        return false;
    }
    if (options_.slots <= SlotBudget::kForNewest) {
        throw peerError(
            "it has held other viewers up, and a ring of {} slots has none for those that may miss frames",
            options_.slots);
    }
    warnOfPeer(LogCategory::Stream, "receiver yields", peer.hello.name.value,
               "{} ({}) has held other viewers up: it may miss frames now", peer.hello.name.value,
               channel.peer);
    return true;
}

void Audience::onEnd(Runner& runner) {
    SenderLink& link = runner.link();
    // Even without memory for the notes, tell those who wait for this end.
    std::exception_ptr failure = failureOf([&] {
        tellOfPeer(LogCategory::Stream, "receiver ended", link.peer().name.value,
                   "connection over {} ended: {}", link.description().transport, runner.end().reason);
    });
    link.conclude();
    {
        const std::lock_guard lock(mutex_);
        // Under the lock: no frame is pushed between this and conclude().
        if (const auto noted = failureOf([&] { keepAccount(runner); })) {
            failure = noted;
        }
        if (failure) {
            past_.failure = failure;
        }
        past_.anyEnded |= !link.viewer().aliveWithout(runner);
        runner.conclude();
        countKeptSlots();
    }
    ended_.notify();
    shared_.progress.notify();
    link.letGo(mayLinger() ? Deadline::in(options_.stallTimeout) : Deadline::in(std::chrono::seconds(0)));
    runner.finish();
    ended_.notify();
}

/// Keeps the account of a connection that has ended. Call with mutex_ held.
void Audience::keepAccount(Runner& runner) {
    SenderLink& link = runner.link();
    Viewer& viewer = link.viewer();
    const SessionEnd& end = runner.end();
    const bool lost = end.isLoss();
    const bool goesOn = viewer.aliveWithout(runner);
    viewer.linkEnded(link.peer(), lost);
    past_.lost += lost ? 1 : 0;
    auto unaccepted = viewer.takeUnaccepted(link, lost);
    if (goesOn) {
        const std::string name = viewer.nameOf(link);
        if (end.failure) {
            tryLogPeer(LogCategory::Stream, spdlog::level::err, "link of several failed",
                       link.peer().name.value, "{}: {}", name, end.reason);
        }
        if (lost) {
            noteDeparture(
                fmt::format("{} is gone: {}; the stream continues over the others", name, end.reason));
        }
        return;
    }
    ViewerStats left = described(viewer, link).viewer;
    left.endReason = end.reason;
    const auto others = std::ranges::count_if(
        viewers_, [&](const auto& other) { return other.get() != &viewer && other->alive(); });
    if (others > 0) {
        noteDeparture(fmt::format("{} ({}) is gone: {}", left.name, left.peer, end.reason));
    }
    accounts_.leave(viewer.id(), std::move(left));
    patience_.leave(viewer.id());
    if (end.failure) {
        past_.failure = end.failure;
        logPeer(LogCategory::Stream, spdlog::level::err, "link failed", link.peer().name.value, end.reason);
    }
    // A viewer that took nothing lost nothing: its frames go to the next viewer.
    const bool served = viewer.account().served();
    const bool maySoonBeBack = lost || link.evicted();
    // While others go on, what it missed is not kept for it: the source would run out of slots.
    if (!unaccepted.empty() && (maySoonBeBack || !served) && others == 0 && !finished_) {
        backlogs_.keep(link.peer().instance, viewer.sharedAccount(), std::move(unaccepted));
    } else if (served && end.kind != SessionEnd::Kind::Orderly) {
        backlogs_.countLost(unaccepted, viewer.account());
    }
    past_.lastEnd = end;
}

/// Bounds those that are gone but may still be reading, like those that are there.
bool Audience::mayLinger() const {
    const std::lock_guard lock(mutex_);
    std::ptrdiff_t lingering = 0;
    for (const auto& viewer : viewers_) {
        lingering += std::ranges::count_if(
            viewer->runners(), [](const auto& runner) { return runner->ended() && !runner->finished(); });
    }
    return lingering <= options_.maxReceivers;
}

void Audience::removeEnded() {
    ended_.clear();                              // before looking: one that ends later notifies again
    std::vector<std::unique_ptr<Viewer>> gone;   // joined and destroyed outside the lock,
    std::vector<std::unique_ptr<Runner>> ended;  // first
    const std::lock_guard lock(mutex_);
    for (auto& viewer : viewers_) {
        viewer->removeFinished(ended);
        if (viewer->empty()) {
            gone.push_back(std::move(viewer));
        }
    }
    std::erase(viewers_, nullptr);
}

bool Audience::stillServes(std::uint64_t instance) const {
    if (!options_.anyLossless() || instance == 0) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    bool any = false;
    eachAlive([&](const Viewer& viewer) { any |= viewer.link().peer().instance == instance; });
    return any;
}

bool Audience::framesTravel() const {
    const std::lock_guard lock(mutex_);
    bool any = false;
    eachAlive([&](const Viewer& viewer) { any |= !viewer.link().sharesMemory(); });
    return any;
}

std::size_t Audience::count() const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    eachAlive([&](const Viewer&) { ++count; });
    return count;
}

void Audience::setCurrent(const CurrentFormat& current) {
    const std::lock_guard lock(mutex_);
    std::erase_if(current_, [&](const auto& other) { return other.epoch->track == current.epoch->track; });
    current_.push_back(current);
}

std::size_t Audience::distribute(const QueuedFrame& frame, FrameCopier& copier) {
    const bool budgeted = mayDrop(shared_.policies[frame.epoch->track]) || anyYields_;
    if (budgeted && takesFramePath(frame.epoch->format.kind)) {
        // Sleeping links have not heard yet which frames came back.
        const auto slow = shared_.budgets[frame.epoch->track].offered(frame.info.sequence, slotsFor(frame),
                                                                      [this] { serveMeanwhile(); });
        if (!slow.empty()) {
            const std::lock_guard lock(mutex_);
            std::ranges::for_each(slow, [this](SlotBudget::Holder holder) { evict(holder); });
        }
    }
    const bool ours = frame.lease.pool()->memory()->writable();
    std::unique_lock lock(mutex_);
    const std::optional<QueuedFrame> copied = ours ? std::nullopt : reachAll(frame, copier, lock);
    std::size_t receivers = 0;
    eachAlive([&](Viewer& viewer) {
        ++receivers;
        if (const QueuedFrame* suited = ours ? &frame : viewer.suitedOf(frame, copied)) {
            viewer.push(*suited);
        } else {
            viewer.turnDown(frame);
        }
    });
    return receivers;
}

/// For a frame in somebody else's memory: does what missingFor() asks for. Returns the copy, if one was
/// needed; it is empty if there was no room.
std::optional<QueuedFrame> Audience::reachAll(const QueuedFrame& frame, FrameCopier& copier,
                                              std::unique_lock<std::mutex>& lock) {
    std::optional<QueuedFrame> copied;
    while (const auto missing = missingFor(frame, copied.has_value())) {
        lock.unlock();
        for (const Imports::Answer& import : missing->imports) {
            import.wait();
        }
        if (missing->imports.empty()) {
            copied = copier.copy(frame, missing->copyReason);
        }
        lock.lock();
    }
    return copied;
}

/// What has to be done first, without the lock, so that a frame in somebody else's memory can be given to
/// all; call for no other. A viewer that may miss frames misses this one while its connection registers that
/// memory, if others can be sent it.
std::optional<Audience::Missing> Audience::missingFor(const QueuedFrame& frame, bool copied) {
    Missing missing;
    std::vector<Imports::Answer> mayMissIt;
    bool anyKnown = false, copy = false;
    eachAlive([&](Viewer& viewer) {
        viewer.eachLink([&](SenderLink& link) {
            const Imports::Answer import =
                link.imports().of(frame.epoch->track, frame.lease.pool()->memory());
            if (!Imports::known(import)) {
                (viewer.mayMissFrames(frame.epoch->track) ? mayMissIt : missing.imports).push_back(import);
                return;
            }
            anyKnown = true;
            if (!import.get().direct && !copied) {
                copy = true;
                missing.copyReason = import.get().reason;
            }
        });
    });
    if (!anyKnown && missing.imports.empty()) {
        missing.imports = std::move(mayMissIt);
    }
    return copy || !missing.imports.empty() ? std::optional(std::move(missing)) : std::nullopt;
}

/// Slots of the frame's pool that no viewer keeps.
std::uint32_t Audience::slotsFor(const QueuedFrame& frame) const {
    const std::uint32_t slots = slotsOf(*frame.lease.pool());
    return slots > keptSlots_ ? slots - keptSlots_ : 1;
}

void Audience::evict(SlotBudget::Holder holder) {
    for (const auto& viewer : viewers_) {
        for (const auto& runner : viewer->runners()) {
            if (!runner->finished() && runner->link().id() == holder) {
                runner->link().evict(
                    fmt::format("too slow: the sender's ring of {} slots is full of frames that slow viewers "
                                "still hold; give it more slots (--slots)",
                                options_.slots));
            }
        }
    }
}

template <typename Serve>
void Audience::serveAll(Serve&& serve) {
    const std::lock_guard lock(mutex_);
    for (const auto& viewer : viewers_) {
        viewer->eachLink([&](SenderLink& link) { serve(link.loop()); });
    }
}

void Audience::serveMeanwhile() {
    serveAll([](ServiceLoop& loop) { loop.serveMeanwhile(); });
}

bool Audience::servesAhead() const {
    const std::lock_guard lock(mutex_);
    std::size_t viewers = 0;
    bool any = false;
    for (const auto& viewer : viewers_) {
        viewer->eachLink([&](SenderLink& link) {
            ++viewers;
            any |= link.loop().mayBeServed();
        });
    }
    return any && viewers <= kMostToWake && viewers < processors_;
}

void Audience::serveAhead(TimestampNs due) {
    serveAll([due](ServiceLoop& loop) { loop.serveAhead(due); });
}

bool Audience::hasRoom(TrackId track, std::size_t& receivers) {
    const std::lock_guard lock(mutex_);
    receivers = 0;
    Full full;
    eachAlive([&](Viewer& viewer) {
        ++receivers;
        if (!viewer.canPush(track)) {
            full.push_back(&viewer);
        }
    });
    // Frames that reach many at once wait for all of these, so only the one that has been idle for longest is
    // known to hold the source up.
    const auto waitsForAll = [](const Viewer* viewer) { return viewer->link().reachesMany(); };
    const auto idleSince = [](const Viewer* viewer) { return viewer->link().idleSince(); };
    const auto those = std::partition(full.begin(), full.end(), std::not_fn(waitsForAll));
    if (full.end() - those > 1) {
        std::iter_swap(those,
                       std::min_element(those, full.end(), [&](const Viewer* one, const Viewer* other) {
                           return idleSince(one) < idleSince(other);
                       }));
        full.erase(those + 1, full.end());
    }
    const TimestampNs now = nowNs();
    evictImpatiently(full, receivers, now);
    evictStalled(full, now);
    return full.empty();
}

void Audience::evictImpatiently(const Full& full, std::size_t receivers, TimestampNs now) {
    std::vector<Patience::Waited> waited;
    for (const Viewer* viewer : full) {
        waited.push_back({viewer->id(), holderOf(viewer->link().description(), viewer->link().trust())});
    }
    if (waited.size() == receivers) {
        waited.clear();  // nobody could go on
    }
    const auto exhausted = patience_.wait(waited, now);
    for (Viewer* viewer : full) {
        if (std::ranges::count(exhausted, viewer->id()) > 0) {
            viewer->evict(
                fmt::format("it held other viewers up for {} s; it may come back, but may miss frames then",
                            static_cast<double>(options_.patience.count()) / 1000));
        }
    }
}

/// A viewer stalls while the source waits for it, and while this thread is there to see it: the machine may
/// be busy. Of those that frames reach at once, the others have their full time again when one has gone.
void Audience::evictStalled(const Full& full, TimestampNs now) {
    const TimestampNs unseen = now - std::exchange(lookedAt_, now);
    if (full.empty()) {
        heldUpSince_.reset();
        return;
    }
    if (!heldUpSince_) {
        heldUpSince_ = now;
    } else if (unseen > kLongestLook) {
        *heldUpSince_ += unseen;
    }
    const auto evictIfStalled = [&](SenderLink& link) {
        const TimestampNs since =
            std::max({*heldUpSince_, link.idleSince(), link.reachesMany() ? evictedAt_ : 0});
        if (now - since > std::chrono::nanoseconds(options_.stallTimeout).count()) {
            evictedAt_ = now;
            link.evict(fmt::format("it took no frame for {} s, and a lossless sender may not drop any",
                                   static_cast<double>(options_.stallTimeout.count()) / 1000));
        }
    };
    for (Viewer* viewer : full) {
        viewer->eachLink(evictIfStalled);
    }
}

void Audience::finish(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    finishReason_ = reason;
    backlogs_.giveUp();
    for (const auto& viewer : viewers_) {
        viewer->finish(reason);
    }
}

std::vector<ReceiverStats> Audience::receivers() const {
    const std::lock_guard lock(mutex_);
    std::vector<ReceiverStats> list;
    eachAlive([&](const Viewer& viewer) { list.push_back(described(viewer, viewer.link())); });
    return list;
}

ReceiverStats Audience::described(const Viewer& viewer, const SenderLink& link) const {
    ReceiverStats stats = viewer.stats(link);
    stats.id = viewer.id();
    accounts_.describe(viewer.id(), stats.viewer);
    return stats;
}

Audience::Viewers Audience::viewers() const {
    const std::lock_guard lock(mutex_);
    Viewers all{accounts_.ended(), accounts_.earlier(), accounts_.earlierCount()};
    eachAlive([&](const Viewer& viewer) { all.each.push_back(described(viewer, viewer.link()).viewer); });
    return all;
}

/// Programs need not ask, and viewers may come and go for days.
void Audience::noteDeparture(std::string text) {
    if (departures_.size() == kMaxDepartures) {
        departures_.erase(departures_.begin());
    }
    departures_.push_back(std::move(text));
    anyDepartures_ = true;
}

std::vector<std::string> Audience::takeDepartures() {
    if (!anyDepartures_) {
        return {};
    }
    const std::lock_guard lock(mutex_);
    anyDepartures_ = false;
    return std::exchange(departures_, {});
}

Audience::Past Audience::past() const {
    const std::lock_guard lock(mutex_);
    return past_;
}

void Audience::noteEnd(const SessionEnd& end) {
    {
        const std::lock_guard lock(mutex_);
        past_.lastEnd = end;
        past_.anyEnded = true;
    }
    shared_.progress.notify();
}

}  // namespace verbcast
