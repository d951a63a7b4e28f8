#include "core/stream/send/audience.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/stranger_log.h"
#include "core/session/group/group_source_path.h"

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
    : options_(options), shared_(options.slots), backlogs_(shared_.framesLost), patience_(options.patience) {
    shared_.heldLimit = options.heldLimit;
    shared_.allowInput = options.allowInput;
    if (options.sync != SyncMode::Off) {
        shared_.together = std::make_unique<PresentationGroup>(
            PresentationOptions{.mode = options.sync,
                                .patience = options.link.peerTimeout,
                                .slots = options.slots,
                                .lossless = options.policy == Policy::Lossless});
    }
}

Audience::~Audience() {
    std::vector<std::unique_ptr<Runner>> ending;
    {
        const std::lock_guard lock(mutex_);
        ending.swap(runners_);
    }
    for (const auto& runner : ending) {
        runner->link().stop("the sender stopped");
    }
}

void Audience::stop(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    for (const auto& runner : runners_) {
        runner->link().endBecause(reason);
    }
}

void Audience::add(Guest guest) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t id = ++past_.connections;
    past_.lastReason = guest.reason;
    std::shared_ptr<RailGroup> rails;
    const bool spare = guest.peer.isRail() && joinRails(guest, id, rails);
    auto account = spare ? viewers_.accountOf(rails->id()) : viewers_.join(id, guest.peer.instance);
    const std::uint8_t rail = guest.peer.rail.index;
    const std::string name = guest.peer.name.value;
    const std::string transport = guest.connection.messages->description().transport;
    try {
        begin(std::move(guest), id, std::move(account), rails);
    } catch (...) {
        if (rails) {
            rails->gone(rail, true);
            keepForRails();
        }
        if (!spare) {
            viewers_.abandon(id);
        }
        throw;
    }
    tellOfStranger(LogCategory::Stream, "receiver joined", name, "{} joined over {}", name, transport);
    shared_.progress.notify();
    if (options_.joined != nullptr) {
        options_.joined->notify();
    }
}

void Audience::begin(Guest guest, std::uint64_t id, std::shared_ptr<ViewerAccount> account,
                     const std::shared_ptr<RailGroup>& rails) {
    const std::uint64_t instance = guest.peer.instance;
    const Policy policy = policyFor(guest, rails.get());
    const bool yields = policy != options_.policy;
    sendByGroup(guest, rails || yields ? nullptr : options_.group);
    std::vector<QueuedFrame> missed = backlogs_.missedBy(instance);
    for (QueuedFrame& frame : missed) {
        if (rails) {
            rails->queue(frame.epoch->track).push(frame.share());
        }
    }
    auto link =
        std::make_unique<SenderLink>(std::move(guest), options_.link, shared_, id, std::move(account),
                                     missed.empty() ? current_ : std::vector<CurrentFormat>{}, policy, rails);
    anyYields_ = anyYields_ || yields;
    for (SlotBudget& budget : shared_.budgets) {
        for (const SlotBudget::Holder slow : budget.join(id, nowNs(), rails ? rails->id() : id)) {
            evict(slow);
        }
    }
    if (!rails) {
        link->resend(std::move(missed));
    }
    runners_.reserve(runners_.size() + 1);  // so that a started thread is not thrown away
    runners_.push_back(std::make_unique<Runner>(std::move(link), [this](Runner& runner) { onEnd(runner); }));
    backlogs_.servedNow(instance);
    if (finished_) {
        runners_.back()->link().finish(finishReason_);  // a rail that came back meanwhile
    }
}

/// A peer that has held others up for too long gets no promise again.
Policy Audience::policyFor(const Guest& guest, const RailGroup* rails) {
    if (rails != nullptr) {
        return rails->policy();
    }
    const ConnectionDescription& channel = guest.connection.messages->description();
    if (options_.policy == Policy::Latest || !patience_.spent(holderOf(channel, guest.trust), nowNs())) {
        return options_.policy;
    }
    if (options_.slots <= SlotBudget::kForNewest) {
        throw Error(ErrorKind::Peer,
                    fmt::format("it has held other viewers up, and a ring of {} slots has none "
                                "for those that may miss frames",
                                options_.slots));
    }
    warnOfStranger(LogCategory::Stream, "receiver yields", guest.peer.name.value,
                   "{} ({}) has held other viewers up: it may miss frames now", guest.peer.name.value,
                   channel.peer);
    return Policy::Latest;
}

void Audience::onEnd(Runner& runner) {
    SenderLink& link = runner.link();
    // Even without memory for the notes, tell those who wait for this end.
    std::exception_ptr failure = failureOf([&] {
        tellOfStranger(LogCategory::Stream, "receiver ended", link.peer().name.value,
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
        past_.anyEnded |= !link.rails() || !link.rails()->anyUp();
        runner.conclude();
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
    const LinkEnd& end = runner.end();
    if (link.rails() && keepRailAccount(runner)) {
        return;  // others go on
    }
    const bool lost = end.kind == LinkEnd::Kind::Lost || end.kind == LinkEnd::Kind::Broken;
    past_.lost += lost ? 1 : 0;
    auto unaccepted = link.rails() && link.policy() == Policy::Lossless ? link.rails()->takeAll()
                                                                        : link.takeUnaccepted(lost);
    ViewerStats left = described(link).viewer;
    left.endReason = end.reason;
    const auto alive = std::ranges::count_if(
        runners_, [&](const auto& other) { return other.get() != &runner && isAlive(other); });
    if (alive > 0) {
        noteDeparture(fmt::format("{} ({}) is gone: {}", left.name, left.peer, end.reason));
    }
    viewers_.leave(link.viewerId(), std::move(left));
    patience_.leave(link.viewerId());
    if (runner.failure()) {
        past_.failure = runner.failure();
        logStranger(LogCategory::Stream, spdlog::level::err, "link failed", link.peer().name.value,
                    end.reason);
    }
    // A viewer that took nothing lost nothing: its frames go to the next viewer.
    const bool served = link.account()->served();
    // While others go on, what it missed is not kept for it: the source would run out of slots.
    if (!unaccepted.empty() && (lost || !served) && alive == 0 && !finished_) {
        backlogs_.keep(link.peer().instance, link.account(), std::move(unaccepted));
    } else if (served && end.kind != LinkEnd::Kind::Orderly) {
        backlogs_.countLost(unaccepted, *link.account());
    }
    past_.lastEnd = end;
}

/// Bounds those that are gone but may still be reading, like those that are there.
bool Audience::mayLinger() const {
    const std::lock_guard lock(mutex_);
    const auto lingering = std::ranges::count_if(
        runners_, [](const auto& runner) { return runner->ended() && !runner->finished(); });
    return lingering <= options_.maxReceivers;
}

void Audience::removeEnded() {
    ended_.clear();                              // before looking: one that ends later notifies again
    std::vector<std::unique_ptr<Runner>> ended;  // joined and destroyed outside the lock
    {
        const std::lock_guard lock(mutex_);
        for (auto& runner : runners_) {
            if (runner->finished()) {
                ended.push_back(std::move(runner));
            }
        }
        std::erase(runners_, nullptr);
    }
}

bool Audience::stillServes(std::uint64_t instance) const {
    if (options_.policy != Policy::Lossless || instance == 0) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(runners_, [instance](const auto& runner) {
        return isAlive(runner) && runner->link().peer().instance == instance;
    });
}

bool Audience::anyAlive() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(runners_, isAlive);
}

bool Audience::framesTravel() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(
        runners_, [](const auto& runner) { return isAlive(runner) && !runner->link().sharesMemory(); });
}

std::size_t Audience::count() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(
        runners_, [this](const auto& runner) { return isAlive(runner) && isFirstRail(*runner); }));
}

void Audience::setCurrent(const CurrentFormat& current) {
    const std::lock_guard lock(mutex_);
    std::erase_if(current_, [&](const auto& other) { return other.epoch->track == current.epoch->track; });
    current_.push_back(current);
}

std::size_t Audience::distribute(const QueuedFrame& frame, FrameCopier& copier) {
    if (options_.policy == Policy::Latest || anyYields_) {
        // Dozing links have not heard yet which frames came back.
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
    for (const auto& runner : runners_) {
        if (!isAlive(runner)) {
            continue;
        }
        if (runner->link().rails()) {
            receivers += isFirstRail(*runner) ? pushToRails(runner->link(), frame, copied) : 0;
            continue;
        }
        ++receivers;
        if (!frame.forDisplays && runner->link().presents()) {
            runner->link().turnDown(frame);
            continue;
        }
        if (const QueuedFrame* suited = ours ? &frame : suitedFor(runner->link(), frame, copied)) {
            // There is room: only this thread fills the queues. One that came back just now may have more to
            // catch up on, and takes this, too.
            runner->link().push(suited->share());
        } else {
            runner->link().turnDown(frame);
        }
    }
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
/// memory, if others can be sent it. Of rails, any may take the frame, so all must know.
std::optional<Audience::Missing> Audience::missingFor(const QueuedFrame& frame, bool copied) {
    const auto& memory = frame.lease.pool()->memory();
    Missing missing;
    std::vector<Imports::Answer> mayMissIt;
    bool anyKnown = false, copy = false;
    for (const auto& runner : runners_) {
        if (!isAlive(runner)) {
            continue;
        }
        const Imports::Answer import = runner->link().imports().of(frame.epoch->track, memory);
        if (!Imports::known(import)) {
            const bool waits = runner->link().policy() == Policy::Lossless || runner->link().rails();
            (waits ? missing.imports : mayMissIt).push_back(import);
            continue;
        }
        anyKnown = true;
        if (!import.get().direct && !copied) {
            copy = true;
            missing.copyReason = import.get().reason;
        }
    }
    if (!anyKnown && missing.imports.empty()) {
        missing.imports = std::move(mayMissIt);
    }
    return copy || !missing.imports.empty() ? std::optional(std::move(missing)) : std::nullopt;
}

/// The frame or its copy; null if the link can send neither now.
const QueuedFrame* Audience::suitedFor(SenderLink& link, const QueuedFrame& frame,
                                       const std::optional<QueuedFrame>& copied) {
    const auto& memory = frame.lease.pool()->memory();
    if (memory->writable()) {
        return &frame;
    }
    const Imports::Answer import = link.imports().of(frame.epoch->track, memory);
    if (!Imports::known(import)) {
        return nullptr;
    }
    return import.get().direct ? &frame : copied && copied->lease ? &*copied : nullptr;
}

/// Slots of the frame's pool that are not kept for rails.
std::uint32_t Audience::slotsFor(const QueuedFrame& frame) const {
    const std::uint32_t slots = frame.lease.pool()->slotCount();
    return slots > keptForRails_ ? slots - keptForRails_ : 1;
}

void Audience::evict(SlotBudget::Holder holder) {
    for (const auto& runner : runners_) {
        if (!runner->finished() && runner->link().id() == holder) {
            runner->link().evict(
                fmt::format("too slow: the sender's ring of {} slots is full of frames that slow viewers "
                            "still hold; give it more slots (--slots)",
                            options_.slots));
        }
    }
}

template <typename Serve>
void Audience::serveAll(Serve&& serve) {
    const std::lock_guard lock(mutex_);
    for (const auto& runner : runners_) {
        if (isAlive(runner)) {
            serve(runner->link().loop());
        }
    }
}

void Audience::serveMeanwhile() {
    serveAll([](ServiceLoop& loop) { loop.serveMeanwhile(); });
}

bool Audience::servesAhead() const {
    const std::lock_guard lock(mutex_);
    std::size_t viewers = 0;
    bool any = false;
    for (const auto& runner : runners_) {
        if (isAlive(runner)) {
            ++viewers;
            any |= runner->link().loop().mayBeServed();
        }
    }
    return any && viewers <= kMostToWake && viewers < processors_;
}

void Audience::serveAhead(TimestampNs due) {
    serveAll([due](ServiceLoop& loop) { loop.serveAhead(due); });
}

bool Audience::hasRoom(std::size_t& receivers) {
    const std::lock_guard lock(mutex_);
    receivers = 0;
    std::vector<SenderLink*> full;
    for (const auto& runner : runners_) {
        if (isAlive(runner)) {
            receivers += isFirstRail(*runner) ? 1 : 0;
            const RailGroup* rails = runner->link().rails().get();
            if (rails != nullptr ? !rails->canPush() : !runner->link().canPush()) {
                full.push_back(&runner->link());
            }
        }
    }
    if (options_.group && full.size() > 1) {
        // Frames of a group wait for all of its viewers, so only the one that has been idle for longest is
        // known to hold it up.
        full = {*std::ranges::min_element(full, {}, &SenderLink::idleSince)};
    }
    evictImpatiently(full, receivers);
    evictStalled(full);
    return full.empty();
}

void Audience::evictImpatiently(const std::vector<SenderLink*>& full, std::size_t receivers) {
    std::vector<Patience::Waited> waited;
    for (const SenderLink* link : full) {
        if (std::ranges::find(waited, link->viewerId(), &Patience::Waited::viewer) == waited.end()) {
            waited.push_back({link->viewerId(), holderOf(link->description(), link->trust())});
        }
    }
    if (waited.size() == receivers) {
        waited.clear();  // nobody could go on
    }
    const auto exhausted = patience_.wait(waited, nowNs());
    for (SenderLink* link : full) {
        if (std::ranges::count(exhausted, link->viewerId()) > 0) {
            link->evict(
                fmt::format("it held other viewers up for {} s; it may come back, but may miss frames then",
                            static_cast<double>(options_.patience.count()) / 1000));
        }
    }
}

/// A viewer stalls while the source waits for it, and while this thread is there to see it: the machine may
/// be busy. Of a group, the others have their full time again when one has gone.
void Audience::evictStalled(const std::vector<SenderLink*>& full) {
    const TimestampNs now = nowNs();
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
    for (SenderLink* link : full) {
        const TimestampNs since =
            std::max({*heldUpSince_, link->idleSince(), options_.group ? evictedAt_ : 0});
        if (now - since > std::chrono::nanoseconds(options_.stallTimeout).count()) {
            evictedAt_ = now;
            link->evict(fmt::format("it took no frame for {} s, and a lossless sender may not drop any",
                                    static_cast<double>(options_.stallTimeout.count()) / 1000));
        }
    }
}

void Audience::finish(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    finishReason_ = reason;
    backlogs_.giveUp();
    for (const auto& runner : runners_) {
        if (isAlive(runner)) {
            runner->link().finish(reason);
        }
    }
}

std::vector<ReceiverStats> Audience::receivers() const {
    const std::lock_guard lock(mutex_);
    std::vector<ReceiverStats> list;
    for (const auto& runner : runners_) {
        if (isAlive(runner) && isFirstRail(*runner)) {
            list.push_back(described(runner->link()));
        }
    }
    return list;
}

ReceiverStats Audience::described(const SenderLink& link) const {
    ReceiverStats stats = link.stats();
    viewers_.describe(link.viewerId(), stats.viewer);
    if (link.rails()) {
        stats.viewer.rails = link.rails()->stats();
    }
    return stats;
}

Audience::Viewers Audience::viewers() const {
    const std::lock_guard lock(mutex_);
    Viewers all{viewers_.ended(), viewers_.earlier(), viewers_.earlierCount()};
    for (const auto& runner : runners_) {
        if (isAlive(runner) && isFirstRail(*runner)) {
            all.each.push_back(described(runner->link()).viewer);
        }
    }
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

void Audience::noteEnd(const LinkEnd& end) {
    {
        const std::lock_guard lock(mutex_);
        past_.lastEnd = end;
        past_.anyEnded = true;
    }
    shared_.progress.notify();
}

}  // namespace verbcast
