#include "core/stream/send/backlogs.h"
#include "core/base/log/peer_log.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace verbcast {

void Backlogs::keep(std::uint64_t instance, std::shared_ptr<ViewerAccount> account,
                    std::vector<QueuedFrame> frames) {
    backlogs_.push_back({instance, std::move(account), std::move(frames)});
}

void Backlogs::countLost(const std::vector<QueuedFrame>& frames, ViewerAccount& account) {
    for (auto first = frames.begin(); first != frames.end();) {
        const auto follows = [](const QueuedFrame& one, const QueuedFrame& next) {
            return next.info.track == one.info.track && next.info.sequence == one.info.sequence + 1;
        };
        const auto last = std::adjacent_find(first, frames.end(), std::not_fn(follows));
        const FrameInfo& end = last == frames.end() ? frames.back().info : last->info;
        account.countLost(end.track, end.sequence - first->info.sequence + 1);
        warnOfPeer(LogCategory::Stream, "receiver lost", "",
                   "frames {} to {} of track {} are lost: their receiver was lost before it accepted them",
                   first->info.sequence, end.sequence, end.track);
        first = last == frames.end() ? last : last + 1;
    }
    lost_ += frames.size();
}

/// Without an instance a viewer cannot be recognised.
bool Backlogs::Backlog::isFor(std::uint64_t whom) const {
    return (whom != 0 && instance == whom) || !account->served();
}

std::vector<QueuedFrame> Backlogs::missedBy(std::uint64_t instance) const {
    std::vector<QueuedFrame> missed;
    for (const Backlog& backlog : backlogs_) {
        if (backlog.isFor(instance)) {
            std::ranges::transform(backlog.frames, std::back_inserter(missed), &QueuedFrame::share);
        }
    }
    return missed;
}

void Backlogs::servedNow(std::uint64_t instance) {
    for (const Backlog& backlog : std::exchange(backlogs_, {})) {
        if (!backlog.isFor(instance)) {
            // Keeping them for somebody who is away would take slots from the one that is here.
            countLost(backlog.frames, *backlog.account);
        }
    }
}

void Backlogs::giveUp() {
    for (const Backlog& backlog : std::exchange(backlogs_, {})) {
        if (backlog.account->served()) {
            countLost(backlog.frames, *backlog.account);
        }
    }
}

}  // namespace verbcast
