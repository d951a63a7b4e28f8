// What a PresentationGroup tells its displays to show, and when.
#include <algorithm>

#include "core/session/together/presentation_group.h"

namespace verbcast {
namespace {

constexpr TimestampNs kFirstLead = 2'000'000;  // until displays have reported how long orders take
constexpr TimestampNs kMarginOfLead = 250'000;

}  // namespace

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

}  // namespace verbcast
