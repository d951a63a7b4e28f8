// Per frame: add() copies its rectangles. No allocation once the history is full; frames that stand alone
// cost nothing.
#include "core/video/change_history.h"

#include <algorithm>

namespace verbcast {

void ChangeHistory::add(const FrameInfo& info) {
    const std::uint64_t last = entries_.empty() ? base_ : entries_.back().sequence;
    if (info.rectCount == 0 || !any_ || info.sequence != last + 1) {
        entries_.clear();
        base_ = info.sequence;
        any_ = true;
        return;
    }
    entries_.push_back({info.sequence, PictureChanges::of(info)});
    if (entries_.size() > kDepth) {
        join();
    }
}

void ChangeHistory::join() {
    constexpr std::size_t kJoined = kDepth / 2;
    for (std::size_t i = 0; i < kJoined; i += 2) {
        entries_[i + 1].changes.add(entries_[i].changes);
        entries_[i / 2] = entries_[i + 1];
    }
    entries_.erase(entries_.begin() + kJoined / 2, entries_.begin() + kJoined);
}

PictureChanges ChangeHistory::between(std::uint64_t from, std::uint64_t to) const {
    const std::uint64_t last = entries_.empty() ? base_ : entries_.back().sequence;
    if (!any_ || from < base_ || to > last || from > to) {
        return PictureChanges::all();
    }
    PictureChanges changes = PictureChanges::none();
    auto entry = std::ranges::upper_bound(entries_, from, {}, &Entry::sequence);
    // A joined entry may begin before `from`, or end after `to`: reporting too much is no mistake.
    for (std::uint64_t reached = from; entry != entries_.end() && reached < to; ++entry) {
        changes.add(entry->changes);
        reached = entry->sequence;
    }
    return changes;
}

}  // namespace verbcast
