#include "core/sync/presentation_group.h"

#include <algorithm>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr TimestampNs kOneMs = 1'000'000;
constexpr TimestampNs kMarginOfDelay = kOneMs;
constexpr TimestampNs kSinkingPart = 16;  // of the surplus, per frame
constexpr TimestampNs kUnknownInterval = 40 * kOneMs;
constexpr TimestampNs kFarOff = 1'000 * kOneMs;       // no clock is this wrong
constexpr TimestampNs kReportsCome = 2'000 * kOneMs;  // reports have come by then
constexpr std::size_t kMaxFrames = 256;               // waiting for reports
constexpr std::size_t kMaxSent = 128;                 // more than a display has slots
constexpr std::size_t kMaxDeparted = 16;
constexpr std::uint32_t kSlotsBeside = 4;  // beside the waiting ones, as in FrameAlignment
constexpr std::uint32_t kMaxWindow = 16;
constexpr TimestampNs kFirstLead = 2'000'000;  // until displays have reported how long orders take
constexpr TimestampNs kMarginOfLead = 250'000;

}  // namespace

PresentationGroup::Member& PresentationGroup::member(Id id) {
    const auto found = members_.find(id);
    if (found == members_.end()) {
        throw peerError("the peer sent a message about presenting together without having joined");
    }
    return found->second;
}

PresentationGroup::Frame* PresentationGroup::frame(std::uint64_t sequence) {
    const auto found = std::ranges::lower_bound(frames_, sequence, {}, &Frame::sequence);
    return found != frames_.end() && found->sequence == sequence ? &*found : nullptr;
}

/// How many frames may wait in each display.
std::uint32_t PresentationGroup::window() const {
    std::uint32_t slots = options_.slots;
    for (const auto& [id, member] : members_) {
        slots = member.takesPart() ? std::min(slots, member.slots) : slots;
    }
    return std::clamp(slots, kSlotsBeside + 1, kMaxWindow + kSlotsBeside) - kSlotsBeside;
}

TimestampNs PresentationGroup::longestDelay() const {
    return std::min(window() * (interval_ > 0 ? interval_ : kUnknownInterval), kMaxPresentAhead / 2);
}

void PresentationGroup::followDelay(TimestampNs now) {
    if (const auto needed = needed_.largest(now)) {
        smallest_ = std::min(*needed + kMarginOfDelay, longestDelay());
        delay_ = smallest_ > delay_ || !hasDelay_ ? smallest_ : delay_;
        hasDelay_ = true;
    }
    delay_ = std::min(delay_, longestDelay());
}

/// Hold: whether it is ready, or holds a frame that it may get ready for.
bool PresentationGroup::hasSomething(const Member& member) const {
    return member.ready || (!member.sent.empty() && member.sent.back() >= member.leavesOutTo &&
                            (!member.cameBack || member.sent.back() > *member.cameBack) &&
                            (!ordered_ || member.sent.back() > last_.sequence));
}

/// Hold: whether the most frames wait that may. Never while a display that takes part has none to get ready
/// for.
bool PresentationGroup::full() const {
    if (options_.mode != SyncMode::Hold || options_.lossless) {
        return false;
    }
    const auto waiting = std::ranges::count_if(
        frames_, [this](const Frame& each) { return !ordered_ || each.sequence > last_.sequence; });
    if (waiting < static_cast<std::ptrdiff_t>(window())) {
        return false;
    }
    bool anybody = false;
    for (const auto& [id, member] : members_) {
        if (member.takesPart() && !hasSomething(member)) {
            return false;
        }
        anybody |= member.takesPart();
    }
    return anybody;
}

bool PresentationGroup::offer(FrameInfo& info, TimestampNs interval) {
    const std::lock_guard lock(mutex_);
    const TimestampNs now = info.submittedAt;
    interval_ = interval;
    followDelay(now);
    delay_ -= (delay_ - smallest_) / kSinkingPart;
    conclude(now);
    if (full()) {
        ++held_;
        return false;
    }
    info.presentAfterUs = static_cast<std::uint32_t>(delay_ / 1000);
    frames_.push_back({.sequence = info.sequence, .submittedAt = now, .planned = now + delay_});
    if (frames_.size() > kMaxFrames) {
        count(frames_.front());
        frames_.pop_front();
    }
    return true;
}

void PresentationGroup::join(Id id, std::uint64_t instance, const std::string& name, std::uint32_t slots,
                             GroupDisplay& display) {
    const std::lock_guard lock(mutex_);
    Member fresh;
    const auto before = std::ranges::find_if(
        departed_, [&](const Member& other) { return instance != 0 && other.instance == instance; });
    if (before != departed_.end()) {
        fresh.stats = before->stats;
        fresh.behindDue = before->behindDue;
        departed_.erase(before);
    }
    fresh.instance = instance;
    fresh.slots = slots;
    fresh.display = &display;
    fresh.stats.name = name;
    fresh.stats.connected = true;
    members_.insert_or_assign(id, std::move(fresh));
}

void PresentationGroup::leave(Id id, TimestampNs now) {
    const std::lock_guard lock(mutex_);
    const auto found = members_.find(id);
    if (found == members_.end()) {
        return;
    }
    Member gone = std::move(found->second);
    members_.erase(found);
    gone.stats.connected = false;
    departed_.push_back(std::move(gone));
    if (departed_.size() > kMaxDeparted) {
        departed_.pop_front();
    }
    decide(now);
    conclude(now);
}

void PresentationGroup::sent(Id id, std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    Member& one = member(id);
    one.sent.push_back(sequence);
    if (one.sent.size() > kMaxSent) {
        one.forgottenTo = one.sent.front();
        one.sent.pop_front();
    }
}

void PresentationGroup::cameBack(Id id, std::uint64_t newest) {
    const std::lock_guard lock(mutex_);
    Member& one = member(id);
    one.cameBack = std::max(one.cameBack.value_or(0), newest);
}

void PresentationGroup::ready(Id id, std::uint64_t sequence, TimestampNs now) {
    const std::lock_guard lock(mutex_);
    Member& one = member(id);
    if (!std::ranges::binary_search(one.sent, sequence)) {
        if (one.forgottenTo && sequence <= *one.forgottenTo) {
            callUp(one);
            return;
        }
        throw peerError("the peer is ready for frame {}, which it was not sent or was ready for before",
                        sequence);
    }
    std::erase_if(one.sent, [&](std::uint64_t earlier) { return earlier <= sequence; });
    one.toShow.push_back(sequence);
    if (one.toShow.size() > kMaxSent) {
        one.forgottenTo = std::max(one.forgottenTo.value_or(0), one.toShow.front());
        one.toShow.pop_front();
    }
    one.first = one.first.value_or(sequence);
    one.leftOut = false;
    if (options_.mode != SyncMode::Hold) {
        return;
    }
    if (ordered_ && sequence <= last_.sequence) {
        tell(one, last_);  // the others have gone on
        return;
    }
    one.ready = sequence;
    one.readyAt = now;
    decide(now);
}

void PresentationGroup::checkTimes(const ShownFrame& shown, const Frame& frame, TimestampNs now) {
    const TimestampNs from = frame.submittedAt - kFarOff;
    const bool can = shown.shownAt > from && shown.shownAt < now + kFarOff && shown.couldAt > from &&
                     shown.couldAt < now + kFarOff && shown.due > from && shown.due < now + kMaxPresentAhead;
    if (!can) {
        throw peerError("the peer says that it showed frame {} at an impossible time", shown.sequence);
    }
}

void PresentationGroup::presented(Id id, const ShownFrame& shown, TimestampNs now) {
    const std::lock_guard lock(mutex_);
    Member& one = member(id);
    if (!std::ranges::binary_search(one.toShow, shown.sequence)) {
        if (one.forgottenTo && shown.sequence <= *one.forgottenTo) {
            return;
        }
        throw peerError("the peer says that it showed frame {}, which it was not ready for or showed before",
                        shown.sequence);
    }
    Frame* known = frame(shown.sequence);
    if (options_.mode == SyncMode::Hold && known != nullptr && known->orderedAt == 0) {
        throw peerError("the peer says that it showed frame {}, which nobody was told to show yet",
                        shown.sequence);
    }
    std::erase_if(one.toShow, [&](std::uint64_t earlier) { return earlier <= shown.sequence; });
    one.shown = shown.sequence;
    one.stats.shownBy = nameOf(shown.by);
    one.stats.clock = nameOf(shown.clock);
    one.stats.clockErrorUs = static_cast<double>(shown.clockError) * 1e-3;
    if (known == nullptr || shown.clock == ClockBy::Unknown) {
        conclude(now);
        return;
    }
    checkTimes(shown, *known, now);
    one.behindDue.record(shown.shownAt - shown.due);
    const TimestampNs needed = std::max(shown.couldAt - known->submittedAt, TimestampNs{0});
    const bool late = shown.couldAt > shown.due;
    if (options_.mode == SyncMode::Hold) {
        transit_.add(std::clamp(shown.couldAt - known->orderedAt, TimestampNs{0}, kFarOff), now);
        needed_.add(std::min(needed, longestDelay()), now);
    } else if (needed <= longestDelay()) {
        needed_.add(needed, now);
    }
    if (options_.mode == SyncMode::Go && late) {
        if (hasDelay_) {
            noteLate(one);
        }
    } else {
        ++one.stats.framesShown;
        known->first = known->shown == 0 ? shown.shownAt : std::min(known->first, shown.shownAt);
        known->last = known->shown == 0 ? shown.shownAt : std::max(known->last, shown.shownAt);
        ++known->shown;
    }
    followDelay(now);
    conclude(now);
}

/// Concludes frames that all displays have reported or passed, or whose reports are long overdue.
void PresentationGroup::conclude(TimestampNs now) {
    while (!frames_.empty()) {
        const Frame& oldest = frames_.front();
        const bool told = std::ranges::all_of(members_, [&](const auto& each) {
            const Member& one = each.second;
            return !one.takesPart() || (one.shown && *one.shown >= oldest.sequence);
        });
        const bool passed = options_.mode == SyncMode::Go || (ordered_ && oldest.sequence <= last_.sequence);
        const bool longAgo = now - oldest.planned > kReportsCome && passed;
        const bool nobody =
            std::ranges::none_of(members_, [](const auto& each) { return each.second.takesPart(); });
        if (!longAgo && !(told && passed && !nobody)) {
            return;
        }
        count(oldest);
        frames_.pop_front();
    }
}

void PresentationGroup::count(const Frame& frame) {
    if (frame.shown >= 2) {
        ++frameLock_;
        skew_.record(frame.last - frame.first);
    }
    const auto expected = std::ranges::count_if(members_, [&](const auto& each) {
        return each.second.first && *each.second.first <= frame.sequence;
    });
    without_ += frame.shown > 0 && frame.shown < expected ? 1 : 0;
    held_ += options_.mode == SyncMode::Hold && frame.shown == 0 && expected > 0 ? 1 : 0;
}

void PresentationGroup::tick(TimestampNs now) {
    const std::lock_guard lock(mutex_);
    if (waitingSince_ && now - *waitingSince_ > options_.patience.count()) {
        for (auto& [id, each] : members_) {
            if (each.takesPart() && !each.ready) {
                each.leftOut = true;
                ++each.stats.timesLeftOut;
                noteLate(each);
            }
        }
        waitingSince_.reset();
        decide(now);
    }
    conclude(now);
}

/// Hold: gives an order when all that take part are ready for the same frame.
void PresentationGroup::decide(TimestampNs now) {
    std::optional<std::uint64_t> target;
    for (const auto& [id, each] : members_) {
        target = each.takesPart() && each.ready ? std::max(target.value_or(0), *each.ready) : target;
    }
    bool all = target.has_value();
    for (auto& [id, each] : members_) {
        if (!target || !each.takesPart()) {
            continue;
        }
        if (each.ready && *each.ready < *target) {
            each.ready.reset();  // a display lacks that one
        }
        if (!each.ready && each.leavesOutTo < *target) {
            tell(each, {.sequence = *target, .due = 0});
        }
        all &= each.ready.has_value();
    }
    if (all) {
        order(*target, now);
    } else if (!target) {
        waitingSince_.reset();
    } else if (!waitingSince_) {
        waitingSince_ = now;
    }
}

void PresentationGroup::order(std::uint64_t sequence, TimestampNs now) {
    const TimestampNs lead = transit_.largest(now).value_or(kFirstLead) + kMarginOfLead;
    TimestampNs due = now + lead;
    if (Frame* shown = frame(sequence)) {
        held_ += hasDelay_ && due > shown->planned ? 1 : 0;
        for (auto& [id, each] : members_) {
            if (hasDelay_ && each.takesPart() && each.readyAt + lead > shown->planned) {
                noteLate(each);
            }
        }
        due = std::max(due, shown->planned);
        shown->orderedAt = now;
        shown->planned = due;
    }
    last_ = {.sequence = sequence, .due = due};
    ordered_ = true;
    waitingSince_.reset();
    for (auto& [id, each] : members_) {
        each.ready.reset();
        tell(each, last_);
    }
}

/// Never goes back on an order: a display that was told to leave out this frame, because of displays that
/// have since left, is not told of it.
void PresentationGroup::tell(Member& member, const PresentFrame& message) {
    if (message.sequence >= member.leavesOutTo) {
        member.leavesOutTo = message.sequence;
        member.display->present(message);
    }
}

/// Hold: makes a display that is ready for a long-gone frame get ready for one that it was sent since.
void PresentationGroup::callUp(Member& member) {
    if (options_.mode == SyncMode::Hold && !member.sent.empty()) {
        const std::uint64_t next =
            ordered_ ? std::max(last_.sequence + 1, member.sent.front()) : member.sent.front();
        if (next > member.leavesOutTo) {
            tell(member, {.sequence = next, .due = 0});
        }
    }
}

void PresentationGroup::noteLate(Member& member) {
    ++member.stats.framesLate;
    late_ = member.stats.name;
}

FrameLockStats PresentationGroup::stats() const {
    const std::lock_guard lock(mutex_);
    FrameLockStats stats{.mode = std::string(nameOf(options_.mode)),
                         .delayMs = static_cast<double>(delay_) * 1e-6,
                         .smallestDelayMs = static_cast<double>(smallest_) * 1e-6,
                         .longestDelayMs = static_cast<double>(longestDelay()) * 1e-6,
                         .frames = frameLock_,
                         .framesHeld = held_,
                         .framesWithout = without_,
                         .skew = skew_.percentiles(),
                         .late = late_,
                         .each = {}};
    const auto tell = [&](const Member& member) {
        DisplayStats& display = stats.each.emplace_back(member.stats);
        display.behindDue = member.behindDue.percentiles();
    };
    for (const auto& [id, member] : members_) {
        stats.displays += member.takesPart() ? 1 : 0;
        stats.clockErrorUs = std::max(stats.clockErrorUs, member.stats.clockErrorUs);
        tell(member);
    }
    std::ranges::for_each(departed_, tell);
    return stats;
}

}  // namespace verbcast
