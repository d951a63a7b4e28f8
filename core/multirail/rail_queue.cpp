// Per frame: push(), a take() for each rail that sends it, accepted(). No copy of pixels.
#include "core/multirail/rail_queue.h"

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

// More than an honest receiver's rings have slots: bounds what is kept for one that never says what it has
// got.
constexpr std::size_t kMaxEntries = std::size_t{kMaxRails} * kMaxSlots;
// A striped frame that takes this much longer than others is sent by another rail, too.
constexpr int kMuchLonger = 4;
constexpr TimestampNs kMinPatience = 10'000'000;
constexpr TimestampNs kMaxPatience = 200'000'000;
// Live: after so many newer frames, another rail may send a frame, too, before it is too old to be kept.
constexpr std::uint64_t kNewerOnes = 3;

}  // namespace

std::uint32_t RailQueue::atOnce(std::uint32_t slots, std::uint32_t rails, Policy policy) {
    constexpr std::uint32_t kNewest = 3;  // of SlotBudget
    const std::uint32_t reserved = mayDrop(policy) ? kNewest + kept(slots) : 4;
    return std::max(1U, (slots > reserved ? slots - reserved : 0) / rails);
}

RailQueue::RailQueue(RailMode mode, Policy policy, std::uint32_t slots, std::uint32_t waiting)
    : mode_(mode), policy_(policy), slots_(slots), waiting_(waiting) {}

/// The frame behind an erased one follows what that one followed.
void RailQueue::inherit(std::size_t index) {
    const Entry& gone = entries_[index];
    const std::uint64_t sequence = gone.frame.info.sequence;
    const bool begins = gone.gap && gone.begins;
    const std::uint64_t follows = gone.gap ? gone.follows : sequence - 1;
    if (index + 1 == entries_.size()) {
        pendingGap_ = true;
        pendingBegin_ = begins;
        pendingFollows_ = follows;
        return;
    }
    Entry& next = entries_[index + 1];
    next.gap = true;
    next.begins = begins;
    next.follows = follows;
    next.told = 0;
    untold_ = there_;
}

std::uint64_t RailQueue::push(QueuedFrame&& frame) {
    QueuedFrame unwanted;  // destroyed outside the lock
    const std::lock_guard lock(mutex_);
    if (declined_) {
        unwanted = std::move(frame);
        return 0;
    }
    std::uint64_t dropped = 0;
    Entry entry;
    const std::uint64_t sequence = frame.info.sequence;
    if (mayDrop(policy_)) {
        const auto waits = [](const Entry& each) { return !each.everTaken; };
        if (std::ranges::count_if(entries_, waits) >= static_cast<std::ptrdiff_t>(waiting_)) {
            const auto oldest = std::ranges::find_if(entries_, waits);
            const auto index = static_cast<std::size_t>(oldest - entries_.begin());
            inherit(index);
            erase(index);
            ++dropped;
        }
    }
    if (pendingGap_ || !any_ || sequence != newest_ + 1) {
        entry.gap = true;
        entry.begins = pendingGap_ ? pendingBegin_ : !any_;
        entry.follows = pendingGap_ ? pendingFollows_ : newest_;
        untold_ = there_;
    }
    if (!any_) {
        accepted_ = std::min(accepted_, sequence);  // it was said before there was any frame
    }
    pendingGap_ = false;
    any_ = true;
    newest_ = sequence;
    entry.frame = std::move(frame);
    entries_.push_back(std::move(entry));
    if (mayDrop(policy_)) {
        forgetOld(dropped);
        for (; entries_.size() > kMaxEntries + waiting_; ++dropped) {
            dropFront();
        }
    }
    return dropped;
}

void RailQueue::dropFront() {
    const Entry& front = entries_.front();
    if (front.inPath != 0) {
        stale_.push_back({front.frame.info.sequence, front.inPath});
    }
    inherit(0);
    erase(0);
}

/// Live: frames that are too old are not kept in case their rail dies. One that a rail is still sending costs
/// no extra slot.
void RailQueue::forgetOld(std::uint64_t& dropped) {
    const std::uint64_t newer = std::uint64_t{2} + kept(slots_);
    for (std::size_t i = 0; i < entries_.size();) {
        Entry& entry = entries_[i];
        const bool old = entry.frame.info.sequence + newer <= newest_ && entry.inPath == 0;
        if (old && entry.taken == 0) {
            ++dropped;
            inherit(i);
            erase(i);
            continue;
        }
        if (old) {
            entry.frame.lease = {};
        }
        ++i;
    }
}

bool RailQueue::canPush() const {
    if (mayDrop(policy_)) {
        return true;
    }
    const std::lock_guard lock(mutex_);
    if (declined_) {
        return true;
    }
    const auto waiting = std::ranges::count_if(entries_, [](const Entry& each) { return !each.everTaken; });
    const std::size_t outstanding = entries_.size() + stale_.size();
    // A slot stays free for the source: it must get here to learn that nobody is left.
    return waiting < static_cast<std::ptrdiff_t>(waiting_) &&
           outstanding < std::max<std::size_t>(1, slots_ - 1);
}

std::size_t RailQueue::staleOf(std::uint8_t rail) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(stale_, [&](const Stale& each) { return (each.inPath & bitOf(rail)) != 0; }));
}

TimestampNs RailQueue::dueAt(const Entry& entry) const {
    return entry.takenAt + std::clamp(kMuchLonger * travel_, kMinPatience, kMaxPatience);
}

bool RailQueue::mayTake(const Entry& entry, std::uint8_t rail, TimestampNs now) const {
    if ((entry.taken & bitOf(rail)) != 0 || !entry.frame.lease) {
        return false;
    }
    if (mode_ == RailMode::Double || entry.taken == 0) {
        return true;
    }
    const bool ages = mayDrop(policy_) && entry.frame.info.sequence + kNewerOnes <= newest_;
    return now >= dueAt(entry) || (ages && now >= entry.takenAt + kMinPatience);
}

/// Whether others are far ahead, so that the rail has enough to send.
bool RailQueue::isFarBehind(std::uint8_t rail) const {
    return staleOf(rail) >= std::max<std::size_t>(1, slots_ / 4);
}

std::optional<RailQueue::Taken> RailQueue::choose(std::uint8_t rail, bool lastPlace, TimestampNs now) {
    if (isFarBehind(rail)) {
        return std::nullopt;
    }
    for (Entry& entry : entries_) {
        const bool awaited = &entry == &entries_.front();
        if (lastPlace && !awaited) {
            return std::nullopt;
        }
        if (!mayTake(entry, rail, now)) {
            continue;
        }
        entry.taken |= bitOf(rail);
        if (!entry.everTaken || entry.taken == bitOf(rail)) {
            entry.takenAt = now;
        }
        if (!entry.everTaken && entry.gap) {
            untold_ = there_;
        }
        return Taken{entry.frame.share(), !std::exchange(entry.everTaken, true)};
    }
    return std::nullopt;
}

RailQueue::Entry* RailQueue::find(std::uint64_t sequence) {
    const auto found =
        std::ranges::find(entries_, sequence, [](const Entry& entry) { return entry.frame.info.sequence; });
    return found == entries_.end() ? nullptr : &*found;
}

void RailQueue::began(std::uint8_t rail, std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    if (Entry* entry = find(sequence)) {
        entry->inPath |= bitOf(rail);
    } else {
        stale_.push_back({sequence, bitOf(rail)});
    }
}

void RailQueue::left(std::uint8_t rail, std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    if (Entry* entry = find(sequence)) {
        entry->inPath &= ~bitOf(rail);
        return;
    }
    for (Stale& each : stale_) {
        each.inPath &= each.sequence == sequence ? ~bitOf(rail) : ~Rails{0};
    }
    std::erase_if(stale_, [](const Stale& each) { return each.inPath == 0; });
}

bool RailQueue::giveUp(std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find(entries_, sequence, [](const Entry& entry) { return entry.frame.info.sequence; });
    if (found == entries_.end()) {
        return false;
    }
    const auto index = static_cast<std::size_t>(found - entries_.begin());
    inherit(index);
    erase(index);
    return true;
}

bool RailQueue::accepted(std::uint64_t next) {
    const std::lock_guard lock(mutex_);
    if (any_ && next > newest_ + 1) {
        throw peerError("the peer says that frames up to {} have arrived, and {} is the newest that there is",
                        next - 1, newest_);
    }
    const bool isNew = next > accepted_;
    accepted_ = std::max(accepted_, next);
    const TimestampNs now = nowNs();
    while (!entries_.empty() && entries_.front().frame.info.sequence < accepted_) {
        Entry& entry = entries_.front();
        if (entry.everTaken) {
            const TimestampNs travelled = now - entry.takenAt;
            travel_ = travel_ == 0 ? travelled : travel_ + (travelled - travel_) / 8;
        }
        if (entry.inPath != 0) {
            stale_.push_back({entry.frame.info.sequence, entry.inPath});
        }
        entries_.pop_front();
    }
    return isNew;
}

bool RailQueue::isAccepted(std::uint64_t sequence) const {
    const std::lock_guard lock(mutex_);
    return sequence < accepted_;
}

std::optional<TimestampNs> RailQueue::nextDue(std::uint8_t rail, bool lastPlace) const {
    if (mode_ == RailMode::Double) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    std::optional<TimestampNs> due;
    if (isFarBehind(rail)) {
        return due;  // until it has sent some of what it has
    }
    for (const Entry& entry : entries_) {
        if (entry.taken != 0 && (entry.taken & bitOf(rail)) == 0 && entry.frame.lease) {
            due = due ? std::min(*due, dueAt(entry)) : dueAt(entry);
        }
        if (lastPlace) {
            break;
        }
    }
    return due;
}

void RailQueue::decline() {
    std::deque<Entry> unwanted;  // destroyed outside the lock
    const std::lock_guard lock(mutex_);
    declined_ = true;
    unwanted.swap(entries_);
}

void RailQueue::joined(std::uint8_t rail) {
    const std::lock_guard lock(mutex_);
    there_ |= bitOf(rail);
    untold_ |= bitOf(rail);
    for (Entry& entry : entries_) {
        entry.told &= ~bitOf(rail);
    }
}

std::uint64_t RailQueue::gone(std::uint8_t rail) {
    const std::lock_guard lock(mutex_);
    std::uint64_t lost = 0;
    there_ &= ~bitOf(rail);
    for (std::size_t i = 0; i < entries_.size();) {
        Entry& entry = entries_[i];
        entry.taken &= ~bitOf(rail);
        entry.inPath &= ~bitOf(rail);
        if (entry.taken == 0 && !entry.frame.lease) {
            ++lost;
            inherit(i);  // nobody has it any more
            erase(i);
        } else {
            ++i;
        }
    }
    for (Stale& each : stale_) {
        each.inPath &= ~bitOf(rail);
    }
    std::erase_if(stale_, [](const Stale& each) { return each.inPath == 0; });
    return lost;
}

bool RailQueue::empty() const {
    const std::lock_guard lock(mutex_);
    return entries_.empty();
}

std::vector<QueuedFrame> RailQueue::takeAll() {
    const std::lock_guard lock(mutex_);
    std::vector<QueuedFrame> frames;
    for (Entry& entry : entries_) {
        if (entry.frame.lease) {
            frames.push_back(std::move(entry.frame));
        }
    }
    entries_.clear();
    return frames;
}

}  // namespace verbcast
