#include "core/stream/send/viewer_list.h"

#include <algorithm>
#include <utility>

namespace verbcast {

void ViewerAccount::Track::countSent(const FrameInfo& info) {
    if (info.sequence < nextUncounted.load(std::memory_order_relaxed)) {
        return;
    }
    nextUncounted.store(info.sequence + 1, std::memory_order_relaxed);
    counters[&ViewerStats::framesSent].fetch_add(1, std::memory_order_relaxed);
    counters[&ViewerStats::bytes].fetch_add(info.payloadBytes, std::memory_order_relaxed);
}

void ViewerAccount::report(const Report& last) {
    const std::lock_guard lock(mutex_);
    report_ = last;
}

void ViewerAccount::addTo(ViewerStats& stats, TrackId track) const {
    tracks_[track].counters.copyTo(stats);
    stats.connections = connections_;
    const std::lock_guard lock(mutex_);
    stats.framesShown = report_.shown;
    stats.framesSkipped = report_.skipped;
    stats.latency = report_.latency;
    stats.clockErrorUs = report_.clockErrorUs;
}

std::shared_ptr<ViewerAccount> ViewerList::join(std::uint64_t connection, std::uint64_t instance) {
    there_.reserve(there_.size() + 1);  // so that a viewer taken from ended_ is not lost
    Entry entry;
    const auto before = std::ranges::find_if(
        ended_, [&](const Entry& other) { return instance != 0 && other.instance == instance; });
    if (before != ended_.end()) {
        entry = std::move(*before);
        ended_.erase(before);
    } else {
        entry.account = std::make_shared<ViewerAccount>();
    }
    entry.connection = connection;
    entry.instance = instance;
    entry.connectedAt = nowNs();
    entry.account->countConnection();
    return there_.emplace_back(std::move(entry)).account;
}

void ViewerList::abandon(std::uint64_t connection) {
    const auto found = std::ranges::find(there_, connection, &Entry::connection);
    if (found == there_.end()) {
        return;
    }
    if (found->account->uncountConnection() > 0) {
        ended_.push_back(std::move(*found));
    }
    there_.erase(found);
}

void ViewerList::describe(std::uint64_t connection, ViewerStats& viewer) const {
    const auto found = std::ranges::find(there_, connection, &Entry::connection);
    if (found != there_.end()) {
        viewer.connected = true;
        viewer.connectedSeconds =
            found->last.connectedSeconds + static_cast<double>(nowNs() - found->connectedAt) * 1e-9;
    }
}

void ViewerList::leave(std::uint64_t connection, ViewerStats last) {
    const auto found = std::ranges::find(there_, connection, &Entry::connection);
    if (found == there_.end()) {
        return;
    }
    Entry entry = std::move(*found);
    there_.erase(found);
    entry.last = std::move(last);
    entry.last.connected = false;
    ended_.push_back(std::move(entry));
    if (ended_.size() > kMaxEnded) {
        addCounts(earlier_, ended_.front().last);
        ++earlierCount_;
        ended_.pop_front();
    }
}

std::vector<ViewerStats> ViewerList::ended() const {
    std::vector<ViewerStats> list;
    for (const Entry& entry : ended_) {
        ViewerStats& viewer = list.emplace_back(entry.last);
        entry.account->addTo(viewer);  // frames may have been given up since
    }
    return list;
}

}  // namespace verbcast
