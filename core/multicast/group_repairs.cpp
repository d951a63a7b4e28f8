#include "core/multicast/group_repairs.h"

#include <algorithm>
#include <array>

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
constexpr TimestampNs kRetryNs = 1'000'000;

}  // namespace

GroupRepairs::GroupRepairs(Session& session, GroupChannel& channel, StageWait& wait)
    : session_(session), channel_(channel), wait_(wait) {}

void GroupRepairs::forget(RingId ring) {
    for (Ring& each : rings_) {
        each.forgotten |= each.ring == ring;
    }
    std::erase_if(rings_, [this](const Ring& each) { return each.forgotten && !session_.uses(each.ring); });
}

bool GroupRepairs::waits(std::uint64_t number) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i].frame == number) {
            return true;
        }
    }
    return false;
}

void GroupRepairs::ask(const GroupMissing& message) {
    LeavingFrame* const leaving = message.frame == 0 ? nullptr : session_.find(message.frame);
    if (leaving == nullptr || leaving->done) {
        throw peerError("the peer requested parts of frame {}, which it was not sent", message.frame);
    }
    const auto ring = std::ranges::find(rings_, message.ring, &Ring::ring);
    const bool fits = ring != rings_.end() && message.slot < ring->shape.slotCount &&
                      leaving->frame.info.payloadBytes <= ring->shape.slotBytes;
    if (!fits || !multicast::rangesArePossible(message.ranges.span(), leaving->chunks)) {
        throw peerError("the peer requested {} impossible ranges of frame {} in slot {} of ring {}",
                        message.ranges.count, message.frame, message.slot, message.ring);
    }
    if (waits(message.frame) || message.request <= leaving->lastRequest) {
        throw peerError("the peer asks for parts of a frame again before it was answered");
    }
    leaving->lastRequest = message.request;
    const auto ranges = message.ranges.span();
    requests_.push(
        {message.frame, message.request, message.ring, message.slot, {ranges.begin(), ranges.end()}});
}

bool GroupRepairs::write(GroupHub& hub, bool alone) {
    bool worked = false;
    while (!requests_.empty()) {
        Request& request = requests_.front();
        LeavingFrame* const leaving = session_.find(request.frame);
        if (leaving == nullptr || leaving->done) {
            requests_.drop();
            continue;
        }
        const TimestampNs now = nowNs();
        const double rate = static_cast<double>(hub.bytesPerSecond()) * (alone ? 1 : kRepairShare);
        const double most = kBurstFrames * static_cast<double>(leaving->frame.info.payloadBytes);
        const double earned = static_cast<double>(now - shareAt_) * 1e-9 * rate;
        share_ = shareAt_ == 0 ? most : std::min(most, share_ + earned);
        shareAt_ = now;
        if (share_ < 0) {
            wait_.wakeAt(now + static_cast<TimestampNs>(-share_ / rate * 1e9) + 1);
            return worked;
        }
        if (!channel_.hasRoomToSpare()) {
            return worked;
        }
        if (!answer(hub, request, *leaving, alone)) {
            wait_.wakeAt(now + kRetryNs);  // the path has as many frames on their way as it takes
            return worked;
        }
        requests_.drop();
        worked = true;
    }
    return worked;
}

/// False: the session has no room for it now.
bool GroupRepairs::answer(GroupHub& hub, Request& request, LeavingFrame& leaving, bool alone) {
    const std::uint64_t payloadBytes = leaving.frame.info.payloadBytes;
    const auto ring = std::ranges::find(rings_, request.ring, &Ring::ring);
    const bool writable = ring != rings_.end() && !ring->forgotten;
    // Decide once which of them are written: others may ask for the same chunks meanwhile.
    std::optional<Request::Choice>& choice = request.choice;
    if (!choice || choice->writable != writable || choice->alone != alone) {
        choice = Request::Choice{writable, alone, session_.choose(request.frame, request.ranges, writable)};
    }
    const auto& [ranges, lost] = choice->repair;
    std::array<ByteBlock, multicast::kMaxRanges> blocks;
    GroupRepaired answer{request.frame, request.request, {}};
    std::uint64_t bytes = 0;
    // Others' requests may split a range into several. The viewer asks again for those without room here.
    for (const ChunkRange& range : std::span(ranges).first(std::min(ranges.size(), multicast::kMaxRanges))) {
        const std::uint64_t begin = std::uint64_t{range.first} * hub.chunkBytes();
        const std::uint64_t end =
            std::min(begin + std::uint64_t{range.count} * hub.chunkBytes(), payloadBytes);
        blocks[answer.written.count] = {begin, end - begin, end - begin, 1};
        answer.written.push(range);
        bytes += end - begin;
    }
    if (leaving.written + bytes > kMostWritten * payloadBytes) {
        throw peerError("the peer requested parts of frame {} that it has", request.frame);
    }
    if (answer.written.count > 0) {
        OutgoingFrame repair = leaving.frame;
        repair.ring = request.ring;
        repair.remoteSlot = request.slot;
        repair.info.sequence = request.request;
        repair.info.rectCount = 0;
        repair.blocks = std::span(blocks).first(answer.written.count);
        if (!session_.write(request.frame, repair)) {
            return false;
        }
        ++leaving.repairs;
        leaving.written += bytes;
        hub.countWritten(bytes);
    }
    leaving.lost += lost;
    share_ -= static_cast<double>(bytes) + kRequestCost + kLookCost * static_cast<double>(lost);
    channel_.tell(answer);
    return true;
}

}  // namespace verbcast
