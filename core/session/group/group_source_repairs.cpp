// What a viewer did not get: written to it alone, or sent into the group again.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/session/group/group_source_path.h"

namespace verbcast {
namespace {

using multicast::ChunkRange;

// Of the group's rate, what one viewer may have written to it alone: so none can take it from the others.
constexpr double kRepairShare = 0.5;
constexpr double kBurstFrames = 2;
// Of a request itself, in bytes: asking for nothing all the time is bounded, too.
constexpr double kRequestCost = 2048;
// Of a byte that one viewer has sent into the group again: all hear it.
constexpr double kSharedCost = 4;

}  // namespace

/// Frames that are on their way into that ring may still lack parts. Those come by the group: nothing is
/// written there any more.
void GroupSourcePath::forget(RingId ring) {
    inside_->forget(ring);
    for (Shape& shape : shapes_) {
        shape.forgotten |= shape.ring == ring;
    }
    std::erase_if(shapes_, [this](const Shape& shape) {
        bool used = false;
        for (std::size_t i = 0; i < leaving_.size(); ++i) {
            used |= leaving_[i].frame.ring == shape.ring;
        }
        return shape.forgotten && !used;
    });
}

/// A request for parts of that frame.
bool GroupSourcePath::waits(std::uint64_t number) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i].frame == number) {
            return true;
        }
    }
    return false;
}

void GroupSourcePath::onMissing(const GroupMissing& message) {
    Leaving* const leaving = message.frame == 0 ? nullptr : find(message.frame);
    if (leaving == nullptr || leaving->done) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer lacks parts of frame {}, which it was not sent", message.frame));
    }
    const auto shape = std::ranges::find(shapes_, message.ring, &Shape::ring);
    const bool fits = shape != shapes_.end() && message.slot < shape->shape.slotCount &&
                      leaving->frame.info.payloadBytes <= shape->shape.slotBytes;
    if (!fits || !multicast::rangesArePossible(message.ranges.span(), leaving->chunks)) {
        throw Error(
            ErrorKind::Peer,
            fmt::format("the peer asks for {} ranges of frame {} in slot {} of ring {}: they cannot be",
                        message.ranges.count, message.frame, message.slot, message.ring));
    }
    if (waits(message.frame) || message.request <= leaving->lastRequest) {
        throw Error(ErrorKind::Peer, "the peer asks for parts of a frame again before it was answered");
    }
    leaving->lastRequest = message.request;
    const auto ranges = message.ranges.span();
    requests_.push(
        {message.frame, message.request, message.ring, message.slot, {ranges.begin(), ranges.end()}});
    writeRequests();
}

/// As far as the viewer's budget goes, and the path inside takes them.
bool GroupSourcePath::writeRequests() {
    bool worked = false;
    while (!requests_.empty()) {
        const TimestampNs now = nowNs();
        Request& request = requests_.front();
        Leaving* const leaving = find(request.frame);
        if (leaving == nullptr) {
            static_cast<void>(requests_.pop());
            continue;
        }
        const double rate = static_cast<double>(hub_->bytesPerSecond()) * kRepairShare;
        const double most = kBurstFrames * static_cast<double>(leaving->frame.info.payloadBytes);
        budget_ = budgetAt_ == 0
                      ? most
                      : std::min(most, budget_ + static_cast<double>(now - budgetAt_) * 1e-9 * rate);
        budgetAt_ = now;
        if (budget_ < 0) {
            wait_.wakeAt(now + static_cast<TimestampNs>(-budget_ / rate * 1e9) + 1);
            return worked;
        }
        if (!channel_->hasRoomToSpare()) {
            return worked;
        }
        const auto shape = std::ranges::find(shapes_, request.ring, &Shape::ring);
        const bool writable = shape != shapes_.end() && !shape->forgotten;
        // Which of them are written is decided once: others may ask for the same chunks meanwhile.
        const auto [alone, lost] = hub_->repair(*viewer_, request.frame, request.ranges, writable);
        const std::uint32_t chunkBytes = hub_->chunkBytes();
        std::array<ByteBlock, multicast::kMaxRanges> blocks;
        GroupRepaired answer{request.frame, request.request, {}};
        std::uint64_t bytes = 0;
        // A part of a range may be told apart by others' requests: what there is no room for is asked for
        // again.
        for (const ChunkRange& range :
             std::span(alone).first(std::min(alone.size(), multicast::kMaxRanges))) {
            const std::uint64_t begin = std::uint64_t{range.first} * chunkBytes;
            const std::uint64_t end = std::min<std::uint64_t>(begin + std::uint64_t{range.count} * chunkBytes,
                                                              leaving->frame.info.payloadBytes);
            blocks[answer.written.count] = {begin, end - begin, end - begin, 1};
            answer.written.push(range);
            bytes += end - begin;
        }
        if (answer.written.count > 0) {
            OutgoingFrame repair = leaving->frame;
            repair.ring = request.ring;
            repair.remoteSlot = request.slot;
            repair.info.sequence = request.request;
            repair.info.rectCount = 0;
            repair.blocks = std::span(blocks).first(answer.written.count);
            insideLeaving_.makeRoom();
            if (inside_->send(repair) != Status::Ok) {
                wait_.wakeAt(now + 1'000'000);  // as many frames are on their way as it takes
                return worked;
            }
            insideLeaving_.push(request.frame);
            ++leaving->repairs;
            hub_->countWritten(bytes);
            budget_ -= static_cast<double>(bytes);
        }
        leaving->lost += lost;
        budget_ -= kRequestCost;
        if (!writable) {
            budget_ -= kSharedCost * static_cast<double>(std::uint64_t{lost} * chunkBytes);
        }
        channel_->tell(answer);
        static_cast<void>(requests_.pop());
        worked = true;
    }
    return worked;
}

}  // namespace verbcast
