// The statistics of a PresentationGroup.
#include <algorithm>

#include "core/session/together/presentation_group.h"

namespace verbcast {

TogetherStats PresentationGroup::stats() const {
    const std::lock_guard lock(mutex_);
    TogetherStats stats{.mode = std::string(nameOf(options_.mode)),
                        .delayMs = static_cast<double>(delay_) * 1e-6,
                        .smallestDelayMs = static_cast<double>(smallest_) * 1e-6,
                        .longestDelayMs = static_cast<double>(longestDelay()) * 1e-6,
                        .frames = together_,
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

TogetherNews PresentationGroup::news() const {
    const TogetherStats now = stats();
    TogetherNews news;
    news.displays = now.displays;
    news.delayMs = now.delayMs;
    news.smallestDelayMs = now.smallestDelayMs;
    news.longestDelayMs = now.longestDelayMs;
    news.frames = now.frames;
    news.held = now.framesHeld;
    news.without = now.framesWithout;
    news.skew = now.skew;
    news.clockErrorUs = now.clockErrorUs;
    news.late = now.late;
    return news;
}

}  // namespace verbcast
