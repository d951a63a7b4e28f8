// Status and statistics of a TileStream.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/view/source/tile_stream.h"

namespace verbcast {
namespace {

/// Limit for frames that were delivered but never reported as shown because a mailbox replaced them.
constexpr std::size_t kMaxGiven = 64;

}  // namespace

void TileStream::count(const ReceivedFrame& frame, std::vector<ReceivedFrame> parts) {
    const std::lock_guard lock(mutex_);
    if (given_.size() == kMaxGiven) {
        given_.pop_front();
    }
    given_.push_back({frame.arrivedAt, std::move(parts)});
    ++told_.frames;
    told_.bytes += frame.format->payloadBytes;
    told_.assembled += assembled_;
    told_.firstAt = told_.frames == 1 ? frame.arrivedAt : told_.firstAt;
    told_.lastAt = frame.arrivedAt;
    told_.format = *frame.format;
    if (frame.clockKnown) {
        told_.latency.record(frame.arrivedAt - frame.submittedAt);
    }
    for (std::size_t i = 0; i < told_.left.size(); ++i) {
        told_.left[i] = parts_.parts()[i].left;
    }
}

/// The status of the first shown source that is not streaming, with its name, else of all.
ReceiverStatus TileStream::status() const {
    ReceiverStatus all = parts_.parts().front().receiver->status();
    for (std::size_t i = 0; i < pictures_; ++i) {
        const ReceiverStatus each = parts_.parts()[i].receiver->status();
        if (each.state != StreamState::Streaming) {
            const std::string& name = tile_.wall.sources[i].name;
            ReceiverStatus status = each;
            status.text = fmt::format("{}: {}", name, each.text);
            status.senderReason =
                each.senderReason.empty() ? "" : fmt::format("{}: {}", name, each.senderReason);
            return status;
        }
        all.trust = each.trust.protection < all.trust.protection ? each.trust : all.trust;
        if (i > 0) {
            all.peerName += ", " + each.peerName;
            all.channel.peer += ", " + each.channel.peer;
            if (all.channel.transport.find(each.channel.transport) == std::string::npos) {
                all.channel.transport += ", " + each.channel.transport;
            }
        }
    }
    return all;
}

/// Stage times are those of the slowest source.
StreamStats TileStream::stats() {
    std::vector<StreamStats> each;
    for (const MatchedParts::Part& part : pictures()) {
        each.push_back(part.receiver->stats());
    }
    StreamStats all =
        *std::ranges::max_element(each, {}, [](const StreamStats& stats) { return stats.latency.p99; });
    const std::lock_guard lock(mutex_);
    all.framesDropped = all.framesLost = all.framesCorrupt = all.bytesMoved = 0;
    all.bytesCopied = told_.assembled;
    all.bytesAssembled = told_.assembled;
    all.connectionsLost = 0;
    all.cipher = {};
    for (std::size_t i = 0; i < each.size(); ++i) {
        const StreamStats& part = each[i];
        all.framesDropped = std::max(all.framesDropped, part.framesDropped + told_.left[i]);
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
    if (conductor_ && *conductor_ >= pictures_) {
        const StreamStats stats = parts_.parts()[*conductor_].receiver->stats();
        all.bytesMoved += stats.bytesMoved;
        all.connectionsLost += stats.connectionsLost;
    }
    all.format = told_.format;
    all.framesTransferred = told_.frames;
    all.framesShown = told_.shown;
    all.framesSkipped = told_.skipped + told_.skippedLater;
    all.bytes = told_.bytes;
    all.seconds = static_cast<double>(told_.lastAt - told_.firstAt) * 1e-9;
    all.latency = told_.latency.percentiles();
    return all;
}

}  // namespace verbcast
