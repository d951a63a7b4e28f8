// Per frame: arrived() under a lock that the rails' threads share, held for a few pointer moves. No copy of
// pixels.
#include "core/multirail/rail_merge.h"

#include <utility>

namespace verbcast {
namespace {

constexpr std::size_t kMaxOrders = 4 * kMaxSlots;  // of a track, still pending

}  // namespace

bool RailMerge::joined(std::uint8_t rail, std::uint8_t count, RailMode mode, std::uint64_t instance,
                       const ConnectionDescription& channel) {
    const std::lock_guard lock(mutex_);
    if (instance != instance_ || instance == 0) {
        tracks_.clear();
        instance_ = instance;
    }
    count_ = count;
    mode_ = mode;
    Rail& joining = rails_[rail];
    joining.stats.number = rail + 1U;
    joining.stats.transport = channel.transport;
    joining.stats.local = channel.local;
    joining.stats.peer = channel.peer;
    joining.stats.up = true;
    joining.stats.lost = false;
    if (!joining.known) {
        joining.handedBefore = handed_;
    }
    return std::exchange(joining.known, true);
}

void RailMerge::gone(std::uint8_t rail, bool lost) {
    const std::lock_guard lock(mutex_);
    rails_[rail].stats.up = false;
    rails_[rail].stats.lost = lost;
    rails_[rail].stats.timesDown += lost ? 1 : 0;
}

void RailMerge::compare(Track& track, std::uint8_t rail, const ReceivedFrame& frame) {
    const std::uint64_t sequence = frame.info.sequence;
    const Brought& brought = track.brought[sequence % track.brought.size()];
    if (brought.sequence != sequence) {
        return;
    }
    const bool sameFormat = (!brought.format && !frame.format) ||
                            (brought.format && frame.format && *brought.format == *frame.format);
    if (!sameFormat || brought.payloadBytes != frame.info.payloadBytes) {
        throw peerError("rail {} delivered frame {} in a different format than an earlier rail", rail + 1,
                        sequence);
    }
}

void RailMerge::arrived(std::uint8_t rail, std::uint64_t instance, ReceivedFrame&& frame) {
    const std::lock_guard lock(mutex_);
    if (instance != instance_) {
        return;  // of a sender that is gone, as another rail has found
    }
    Track& track = tracks_[frame.info.track];
    RailStats& stats = rails_[rail].stats;
    const std::uint64_t sequence = frame.info.sequence;
    compare(track, rail, frame);
    const bool late = (track.begun && sequence < track.next) || track.held.contains(sequence);
    if (frame.info.track == kRailStatsTrack) {
        ++stats.frames;
        stats.bytes += frame.info.payloadBytes;
        stats.first += late ? 0 : 1;
    }
    if (late) {
        return;  // its lease goes here: the slot is the sender's again
    }
    track.brought[sequence % track.brought.size()] = {sequence, frame.info.payloadBytes, frame.format};
    track.held.emplace(sequence, std::move(frame));
    static_cast<void>(handOn(track));
}

void RailMerge::order(std::uint64_t instance, const RailOrder& order) {
    const std::lock_guard lock(mutex_);
    if (instance != instance_) {
        return;
    }
    Track& track = tracks_[order.track];
    if (track.begun && order.sequence < track.next) {
        return;
    }
    // Ignore an order that says no more than one that is pending, and drop pending ones that say no more than
    // it.
    const std::uint64_t after = order.begins ? 0 : order.follows + 1;
    const auto later = track.orders.lower_bound(order.sequence);
    if (later != track.orders.end() && later->second <= after) {
        return;
    }
    std::erase_if(track.orders, [&](const auto& earlier) {
        return earlier.first <= order.sequence && earlier.second >= after;
    });
    if (track.orders.size() >= kMaxOrders) {
        throw peerError("the peer reported more than {} gaps at once", kMaxOrders);
    }
    track.orders[order.sequence] = after;
    static_cast<void>(handOn(track));
}

/// Also true by the order of a later frame: between that and the one that it follows, nothing more comes than
/// what is here already.
bool RailMerge::mayFollow(const Track& track, std::uint64_t sequence) {
    if (track.begun && sequence <= track.next) {
        return true;
    }
    const auto order = track.orders.lower_bound(sequence);  // the first says most: see order()
    return order != track.orders.end() && order->second <= (track.begun ? track.next : 0);
}

/// Call with mutex_ held. Returns true if it handed on anything.
bool RailMerge::handOn(Track& track) {
    bool any = false;
    while (!track.held.empty()) {
        const auto first = track.held.begin();
        const std::uint64_t sequence = first->first;
        if (track.begun && sequence < track.next) {
            track.held.erase(first);
            continue;
        }
        IncomingTrack& consumer = consumers_[first->second.info.track];
        if (!mayFollow(track, sequence) || consumer.full()) {
            break;
        }
        ReceivedFrame frame = std::move(first->second);
        track.held.erase(first);
        const bool follows = track.begun && sequence == track.next;
        if (!follows) {
            if (track.begun) {
                consumer.countMissing(track.next, sequence - track.next, frame.lossless,
                                      "no rail delivered them");
            }
            frame.info.rectCount = 0;  // what changed since the previous frame is not known
        }
        track.begun = true;
        track.next = sequence + 1;
        track.orders.erase(track.orders.begin(), track.orders.upper_bound(sequence));
        // Each rail has its own format object; to the consumer a new object means that the format has
        // changed.
        if (track.format && frame.format && *track.format == *frame.format) {
            frame.format = track.format;
        }
        if (track.region && frame.region && *track.region == *frame.region) {
            frame.region = track.region;
        }
        track.format = frame.format;
        track.region = frame.region;
        handed_ += frame.info.track == kRailStatsTrack ? 1 : 0;
        consumer.arrived(std::move(frame));
        any = true;
    }
    return any;
}

bool RailMerge::flush() {
    const std::lock_guard lock(mutex_);
    bool any = false;
    for (auto& [id, track] : tracks_) {
        any |= handOn(track);
    }
    return any;
}

std::uint64_t RailMerge::next(TrackId id, std::uint64_t instance) const {
    const std::lock_guard lock(mutex_);
    const auto track = tracks_.find(id);
    return instance == instance_ && track != tracks_.end() ? track->second.next : 0;
}

bool RailMerge::empty() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, track] : tracks_) {
        if (!track.held.empty()) {
            return false;
        }
    }
    return true;
}

std::vector<RailStats> RailMerge::stats() const {
    const std::lock_guard lock(mutex_);
    std::vector<RailStats> list;
    for (std::uint8_t rail = 0; rail < count_; ++rail) {
        const Rail& each = rails_[rail];
        RailStats& stats = list.emplace_back(each.stats);
        stats.number = rail + 1U;
        const std::uint64_t could = handed_ - each.handedBefore;
        stats.missed =
            mode_ == RailMode::Double && each.known && could > stats.frames ? could - stats.frames : 0;
    }
    return list;
}

}  // namespace verbcast
