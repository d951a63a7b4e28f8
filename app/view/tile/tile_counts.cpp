#include "app/view/tile/tile_counts.h"

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

/// Limit for frames that were delivered but never reported as shown because a mailbox replaced them.
constexpr std::size_t kMaxGiven = 64;

}  // namespace

void TileCounts::delivered(const ReceivedFrame& frame, std::span<MatchedParts::Part> shown,
                           std::uint64_t assembled) {
    const std::lock_guard lock(mutex_);
    if (given_.size() == kMaxGiven) {
        given_.pop_front();
    }
    Given& given = given_.emplace_back(Given{frame.arrivedAt, {}});
    left_.clear();
    for (MatchedParts::Part& part : shown) {
        part.frame->lease.reset();
        given.parts.push_back(std::move(*part.frame));
        left_.push_back(part.left);
    }
    ++frames_;
    bytes_ += frame.format->payloadBytes;
    assembled_ += assembled;
    firstAt_ = frames_ == 1 ? frame.arrivedAt : firstAt_;
    lastAt_ = frame.arrivedAt;
    format_ = *frame.format;
    if (frame.clockKnown) {
        latency_.record(frame.arrivedAt - frame.submittedAt);
    }
}

void TileCounts::passedOver() {
    const std::lock_guard lock(mutex_);
    ++skipped_;
}

std::vector<ReceivedFrame> TileCounts::shown(const ReceivedFrame& frame) {
    const std::lock_guard lock(mutex_);
    ++shown_;
    while (!given_.empty() && given_.front().arrivedAt < frame.arrivedAt) {
        given_.pop_front();
    }
    if (given_.empty() || given_.front().arrivedAt != frame.arrivedAt) {
        return {};
    }
    std::vector<ReceivedFrame> parts = std::move(given_.front().parts);
    given_.pop_front();
    return parts;
}

std::uint64_t TileCounts::setSkipped(std::uint64_t frames) {
    const std::lock_guard lock(mutex_);
    skippedLater_ = std::max(skippedLater_, frames);
    return skipped_ + frames;
}

StreamStats TileCounts::of(std::span<const StreamStats> each) const {
    StreamStats all =
        *std::ranges::max_element(each, {}, [](const StreamStats& stats) { return stats.latency.p99; });
    const std::lock_guard lock(mutex_);
    all.framesDropped = all.framesLost = all.framesCorrupt = all.bytesMoved = 0;
    all.bytesCopied = assembled_;
    all.bytesAssembled = assembled_;
    all.connectionsLost = 0;
    all.cipher = {};
    for (std::size_t i = 0; i < each.size(); ++i) {
        const StreamStats& part = each[i];
        all.framesDropped = std::max(all.framesDropped, part.framesDropped + (left_.empty() ? 0 : left_[i]));
        all.framesLost = std::max(all.framesLost, part.framesLost);
        all.framesCorrupt += part.framesCorrupt;
        all.bytesMoved += part.bytesMoved;
        all.bytesCopied += part.bytesCopied;
        addCounts(all.cipher, part.cipher);
        all.connections = std::min(all.connections, part.connections);
        all.connectionsLost += part.connectionsLost;
        all.connectToFirstShownMs = std::max(all.connectToFirstShownMs, part.connectToFirstShownMs);
        all.clockErrorUs = std::max(all.clockErrorUs, part.clockErrorUs);
    }
    all.format = format_;
    all.framesTransferred = frames_;
    all.framesShown = shown_;
    all.framesSkipped = skipped_ + skippedLater_;
    all.bytes = bytes_;
    all.seconds = static_cast<double>(lastAt_ - firstAt_) * 1e-9;
    all.latency = latency_.percentiles();
    return all;
}

}  // namespace verbcast
