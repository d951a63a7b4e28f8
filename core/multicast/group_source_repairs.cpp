// Repairs what a viewer did not get: writes it to that viewer alone, or sends it to the group again.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/multicast/group_source_path.h"

namespace verbcast {
namespace {

using multicast::ChunkRange;

// The part of the group's rate that may be written to one viewer alone, so that none can take it from others.
constexpr double kRepairShare = 0.5;
constexpr double kBurstFrames = 2;
// Cost of a request itself in bytes: bounds requests that ask for nothing, too.
constexpr double kRequestCost = 2048;
// And of a chunk that was asked for: looking for who else lacks it.
constexpr double kLookCost = 16;
// What is written arrives: nobody needs it twice, except in another ring.
constexpr std::uint64_t kMostWritten = 2;

}  // namespace

/// Frames on their way into that ring may still lack parts. Those come by the group: nothing more is written
/// into the ring.
void GroupSourcePath::forget(RingId ring) {
    PathStage::forget(ring);
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

/// Whether a request for parts of that frame is waiting.
bool GroupSourcePath::waits(std::uint64_t number) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i].frame == number) {
            return true;
        }
    }
    return false;
}

void GroupSourcePath::onMissing(const GroupMissing& message) {
    if (declined_) {
        return;
    }
    Leaving* const leaving = message.frame == 0 ? nullptr : find(message.frame);
    if (leaving == nullptr || leaving->done) {
        throw Error(
            ErrorKind::Peer,
            fmt::format("the peer requested parts of frame {}, which it was not sent", message.frame));
    }
    const auto shape = std::ranges::find(shapes_, message.ring, &Shape::ring);
    const bool fits = shape != shapes_.end() && message.slot < shape->shape.slotCount &&
                      leaving->frame.info.payloadBytes <= shape->shape.slotBytes;
    if (!fits || !multicast::rangesArePossible(message.ranges.span(), leaving->chunks)) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer requested {} impossible ranges of frame {} in slot {} of ring {}",
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

/// Outside the group, all is written; except what a ring lacks that was replaced, for which nobody is left to
/// ask.
GroupHub::Repair GroupSourcePath::repair(const Request& request, bool writable) {
    if (viewer_) {
        return hub_->repair(*viewer_, request.frame, request.ranges, writable);
    }
    GroupHub::Repair all;
    if (writable) {
        all.alone = request.ranges;
    }
    for (const ChunkRange& range : all.alone) {
        all.lost += range.count;
    }
    return all;
}

/// Answers requests as far as the viewer's budget goes and the inner path takes repairs.
bool GroupSourcePath::writeRequests() {
    bool worked = false;
    while (!requests_.empty()) {
        const TimestampNs now = nowNs();
        Request& request = requests_.front();
        Leaving* const leaving = find(request.frame);
        if (leaving == nullptr || leaving->done) {
            requests_.drop();
            continue;
        }
        const double rate = static_cast<double>(hub_->bytesPerSecond()) * (moved_.empty() ? kRepairShare : 1);
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
        // Decide once which of them are written: others may ask for the same chunks meanwhile.
        const auto [alone, lost] = repair(request, writable);
        const std::uint32_t chunkBytes = hub_->chunkBytes();
        std::array<ByteBlock, multicast::kMaxRanges> blocks;
        GroupRepaired answer{request.frame, request.request, {}};
        std::uint64_t bytes = 0;
        // Others' requests may split a range into several. The viewer asks again for those without room here.
        for (const ChunkRange& range :
             std::span(alone).first(std::min(alone.size(), multicast::kMaxRanges))) {
            const std::uint64_t begin = std::uint64_t{range.first} * chunkBytes;
            const std::uint64_t end = std::min<std::uint64_t>(begin + std::uint64_t{range.count} * chunkBytes,
                                                              leaving->frame.info.payloadBytes);
            blocks[answer.written.count] = {begin, end - begin, end - begin, 1};
            answer.written.push(range);
            bytes += end - begin;
        }
        if (leaving->written + bytes > kMostWritten * leaving->frame.info.payloadBytes) {
            throw Error(ErrorKind::Peer,
                        fmt::format("the peer requested parts of frame {} that it has", request.frame));
        }
        if (answer.written.count > 0) {
            OutgoingFrame repair = leaving->frame;
            repair.ring = request.ring;
            repair.remoteSlot = request.slot;
            repair.info.sequence = request.request;
            repair.info.rectCount = 0;
            repair.blocks = std::span(blocks).first(answer.written.count);
            insideLeaving_.makeRoom();
            if (PathStage::send(repair) != Status::Ok) {
                wait_.wakeAt(now + 1'000'000);  // the path has as many frames on their way as it takes
                return worked;
            }
            insideLeaving_.push(request.frame);
            ++leaving->repairs;
            leaving->written += bytes;
            hub_->countWritten(bytes);
        }
        leaving->lost += lost;
        budget_ -= static_cast<double>(bytes) + kRequestCost + kLookCost * static_cast<double>(lost);
        channel_->tell(answer);
        requests_.drop();
        worked = true;
    }
    return worked;
}

}  // namespace verbcast
