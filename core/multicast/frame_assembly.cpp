#include "core/multicast/frame_assembly.h"

#include <algorithm>

namespace verbcast {
namespace {

using multicast::ChunkRange;

// Chunks of frames that the session has not announced yet are kept this far ahead of it.
constexpr std::uint64_t kFramesAhead = 64;
constexpr TimestampNs kGroupMillisecond = 1'000'000;
// Bounds of the waits derived from the round trip: for a quiet group, for a repair while newer frames are
// there, and in all for a frame of a live stream.
constexpr TimestampNs kMinQuiet = 4 * kGroupMillisecond, kMaxQuiet = 100 * kGroupMillisecond;
// Datagrams may overtake each other by this much plus a part of the round trip.
constexpr TimestampNs kReorder = kGroupMillisecond / 4;
constexpr TimestampNs kMinPatience = 10 * kGroupMillisecond, kMaxPatience = 150 * kGroupMillisecond;
constexpr TimestampNs kLatest = 500 * kGroupMillisecond;
constexpr TimestampNs kMaxRoundTrip = 200 * kGroupMillisecond;

/// Whether the frame's pending request asked for it. Nothing is missing between the ranges of a request, so
/// no answer spans two of them.
bool wasAsked(const ComingFrame& frame, const ChunkRange& range) {
    return std::ranges::any_of(frame.asked, [&](const ChunkRange& asked) {
        return range.first >= asked.first &&
               std::uint64_t{range.first} + range.count <= std::uint64_t{asked.first} + asked.count;
    });
}

}  // namespace

void FrameAssembly::useRing(RingId ring, std::shared_ptr<FramePool> pool) {
    std::erase_if(frames_, [](const ComingFrame& frame) { return !frame.info; });
    ring_ = ring;
    pool_ = std::move(pool);
}

void FrameAssembly::leaveGroup() {
    std::erase_if(frames_, [](const ComingFrame& frame) { return !frame.info; });
    byGroup_ = false;
}

ComingFrame* FrameAssembly::find(std::uint64_t number) {
    const auto found = std::ranges::lower_bound(frames_, number, {}, &ComingFrame::number);
    return found != frames_.end() && found->number == number ? &*found : nullptr;
}

std::optional<std::uint32_t> FrameAssembly::freeSlot() const {
    for (std::uint32_t slot = 0; slot < pool_->slotCount(); ++slot) {
        const bool used = std::ranges::any_of(
            frames_, [&](const ComingFrame& frame) { return frame.pool == pool_ && frame.slot == slot; });
        if (!used && pool_->slots().isTaken(slot)) {
            return slot;
        }
    }
    return std::nullopt;
}

/// Returns false if the frame does not fit or no slot is free.
bool FrameAssembly::giveSlot(ComingFrame& frame, std::uint64_t bytes) {
    if (!pool_ || bytes == 0 || bytes > pool_->slotBytes()) {
        return false;
    }
    const auto slot = freeSlot();
    if (!slot) {
        return false;
    }
    frame.ring = ring_;
    frame.pool = pool_;
    frame.slot = *slot;
    if (!spare_.empty()) {
        frame.map = std::move(spare_.back());
        spare_.pop_back();
    }
    frame.map.begin(multicast::chunksOf(bytes, chunkBytes_));
    return true;
}

void FrameAssembly::tell(std::uint64_t number, RingId ring, const FrameInfo& info, TimestampNs now) {
    if (number <= toldLast_) {
        throw peerError("the peer announced frame {} of the group after frame {}", number, toldLast_);
    }
    if (!pool_ || ring != ring_ || info.payloadBytes == 0 || info.payloadBytes > pool_->slotBytes() ||
        info.payloadBytes / chunkBytes_ >= multicast::kMaxChunks) {
        throw peerError("the peer announced a group frame of {} bytes for ring {}, which it does not fit",
                        info.payloadBytes, ring);
    }
    const auto told =
        std::ranges::count_if(frames_, [](const ComingFrame& each) { return each.info.has_value(); });
    if (static_cast<std::uint32_t>(told) >= pool_->slotCount()) {
        throw peerError("the peer sent more frames than there are slots");
    }
    toldLast_ = number;
    // Frames in between are for other viewers.
    std::erase_if(frames_, [number](const ComingFrame& each) { return each.number < number && !each.info; });
    ComingFrame* frame = find(number);
    const std::uint32_t chunks = multicast::chunksOf(info.payloadBytes, chunkBytes_);
    if (frame == nullptr || frame->map.chunks() != chunks) {
        if (frame != nullptr) {
            std::erase_if(frames_, [number](const ComingFrame& each) { return each.number == number; });
        }
        const auto at = std::ranges::lower_bound(frames_, number, {}, &ComingFrame::number);
        frame = &*frames_.insert(at, ComingFrame{.number = number});
        if (!giveSlot(*frame, info.payloadBytes) && frames_.back().number != number) {
            frames_.pop_back();  // the newest, not announced yet, gives up its slot
            frame = find(number);
            giveSlot(*frame, info.payloadBytes);
        }
        if (!frame->pool) {
            std::erase_if(frames_, [number](const ComingFrame& each) { return each.number == number; });
            throw peerError("the peer sent more frames than it was granted slots");
        }
    }
    frame->ring = ring;
    frame->info = info;
    frame->toldAt = now;
}

ComingFrame* FrameAssembly::place(const multicast::DatagramHead& head, std::size_t payloadBytes) {
    if (head.frame <= overLast_ || head.frame > toldLast_ + kFramesAhead || !pool_) {
        return nullptr;
    }
    ComingFrame* frame = find(head.frame);
    if (frame == nullptr) {
        if (head.frame <= toldLast_) {
            return nullptr;  // for other viewers
        }
        const std::uint64_t most = std::uint64_t{head.chunks} * chunkBytes_;
        // Only the session tells how long the last chunk is.
        if (most - chunkBytes_ >= pool_->slotBytes()) {
            return nullptr;
        }
        const auto at = std::ranges::lower_bound(frames_, head.frame, {}, &ComingFrame::number);
        frame = &*frames_.insert(at, ComingFrame{.number = head.frame});
        if (!giveSlot(*frame, std::min(most, pool_->slotBytes())) || frame->map.chunks() != head.chunks) {
            const std::uint64_t number = head.frame;
            std::erase_if(frames_, [number](const ComingFrame& each) { return each.number == number; });
            return nullptr;
        }
    }
    const bool last = head.chunk + 1 == head.chunks;
    const bool fits = frame->pool && frame->map.chunks() == head.chunks && !frame->map.has(head.chunk) &&
                      offsetOf(head.chunk) + payloadBytes <= frame->pool->slotBytes() &&
                      (!frame->info || payloadBytes == multicast::bytesOfChunk(frame->info->payloadBytes,
                                                                               chunkBytes_, head.chunk)) &&
                      (last || payloadBytes == chunkBytes_);
    return fits ? frame : nullptr;
}

const ComingFrame* FrameAssembly::expected() const {
    const ComingFrame* best = nullptr;
    for (const ComingFrame& frame : frames_) {
        const bool fills = frame.pool && frame.request == 0 && frame.map.reached() < frame.map.chunks();
        best = fills && (frame.came > 0 || best == nullptr) ? &frame : best;
    }
    return best;
}

void FrameAssembly::add(ComingFrame& frame, std::uint32_t chunk, TimestampNs now) {
    frame.map.add(chunk);
    ++frame.came;
    frame.chunkAt = now;
    chunkAt_ = now;
    seenNewest_ = std::max(seenNewest_, frame.number);
}

ComingFrame* FrameAssembly::ready() {
    return !frames_.empty() && frames_.front().complete() ? &frames_.front() : nullptr;
}

ComingFrame* FrameAssembly::late(TimestampNs now) {
    if (lossless_ || frames_.empty() || !frames_.front().info || frames_.front().request != 0 ||
        frames_.front().complete()) {
        return nullptr;
    }
    ComingFrame& frame = frames_.front();
    const bool newer = std::ranges::any_of(
        frames_, [&](const ComingFrame& other) { return &other != &frame && other.complete(); });
    const TimestampNs patience = std::clamp(4 * roundTrip_, kMinPatience, kMaxPatience);
    const TimestampNs waited = now - std::max(frame.toldAt, frame.chunkAt);
    const bool nothing = frame.came == 0 && seenNewest_ > frame.number;
    const bool tooLate = newer && (waited > patience || nothing);
    return tooLate || (frames_.size() > 1 && now - frame.toldAt > kLatest) ? &frame : nullptr;
}

void FrameAssembly::finish() {
    overLast_ = frames_.front().number;
    if (frames_.front().map.chunks() > 0) {
        spare_.push_back(std::move(frames_.front().map));
    }
    frames_.pop_front();
}

/// When to ask for what the frame lacks.
TimestampNs FrameAssembly::dueAt(const ComingFrame& frame) const {
    const TimestampNs quiet = std::clamp(2 * roundTrip_, kMinQuiet, kMaxQuiet);
    if (frame.answeredAt != 0) {
        // An answer that brought nothing: the sender is busy, or its repeats were lost again. One that
        // brought a part: the group repeats the rest.
        return frame.more
                   ? frame.answeredAt
                   : std::max(frame.answeredAt, frame.chunkAt) + (quiet << std::min(frame.fruitless, 5U));
    }
    if (!byGroup_) {
        return frame.toldAt;
    }
    // Chunks out of order arrive almost at once; after that, what the group has gone past is lost.
    const bool past = seenNewest_ > frame.number || frame.map.reached() == frame.map.chunks();
    if (past && frame.came > 0) {
        return frame.chunkAt + std::min(quiet, roundTrip_ / 4 + kReorder);
    }
    return std::max({frame.toldAt, frame.chunkAt, chunkAt_}) + quiet;
}

ComingFrame* FrameAssembly::ask(TimestampNs now, TimestampNs& wakeAt) {
    wakeAt = 0;
    for (ComingFrame& frame : frames_) {
        if (!frame.info || frame.request != 0 || (frame.pool && frame.map.complete())) {
            continue;
        }
        if (!frame.pool && !giveSlot(frame, frame.info->payloadBytes)) {
            continue;
        }
        const TimestampNs due = dueAt(frame);
        if (due > now) {
            wakeAt = wakeAt == 0 ? due : std::min(wakeAt, due);
            continue;
        }
        frame.asked = frame.map.missingBefore(frame.map.chunks());
        frame.request = ++lastRequest_;
        frame.askedAt = now;
        frame.written.reset();
        frame.wrote = frame.writing = false;
        ++frame.requests;
        return &frame;
    }
    if (!frames_.empty() && wakeAt == 0 && !lossless_ && frames_.front().info) {
        wakeAt = now + kMinPatience;  // it may become too late
    }
    return nullptr;
}

void FrameAssembly::answered(const GroupRepaired& answer, TimestampNs now) {
    ComingFrame* const frame = find(answer.frame);
    const auto written = answer.written.span();
    if (frame == nullptr || frame->request == 0 || frame->request != answer.request || frame->written ||
        (!written.empty() && !multicast::rangesArePossible(written, frame->map.chunks())) ||
        !std::ranges::all_of(written, [&](const ChunkRange& range) { return wasAsked(*frame, range); }) ||
        (written.empty() && (frame->writing || frame->wrote))) {
        throw peerError("the peer answered request {} for frame {} with parts that were not requested",
                        answer.request, answer.frame);
    }
    frame->written.emplace(written.begin(), written.end());
    settle(*frame, now);
}

const ComingFrame& FrameAssembly::beginRepair(RingId ring, std::uint32_t slot) {
    ComingFrame* const found = repairing(ring, slot);
    ComingFrame& frame = repaired(ring, slot, found == nullptr ? 0 : found->request);
    if (frame.written && frame.written->empty()) {
        throw peerError("the peer repaired slot {} of ring {} after saying that it would not", slot, ring);
    }
    frame.writing = true;
    return frame;
}

ComingFrame* FrameAssembly::repairing(RingId ring, std::uint32_t slot) {
    const auto found = std::ranges::find_if(frames_, [&](const ComingFrame& frame) {
        return frame.pool && frame.slot == slot && frame.ring == ring && frame.request != 0 && !frame.wrote;
    });
    return found == frames_.end() ? nullptr : &*found;
}

ComingFrame& FrameAssembly::repaired(RingId ring, std::uint32_t slot, std::uint64_t request) {
    ComingFrame* const frame = repairing(ring, slot);
    if (frame == nullptr || frame->request != request) {
        throw peerError("the peer repaired slot {} of ring {} without being asked", slot, ring);
    }
    return *frame;
}

void FrameAssembly::wrote(ComingFrame& frame, TimestampNs now) {
    frame.wrote = true;
    frame.writing = false;
    settle(frame, now);
}

/// Messages and written chunks may take different paths: wait for both.
void FrameAssembly::settle(ComingFrame& frame, TimestampNs now) {
    if (!frame.written || frame.writing || (!frame.written->empty() && !frame.wrote)) {
        return;
    }
    for (const ChunkRange& range : *frame.written) {
        frame.map.add(range);
    }
    frame.fruitless = frame.written->empty() ? frame.fruitless + 1 : 0;
    frame.more = *frame.written == frame.asked;
    frame.request = 0;
    frame.answeredAt = now;
    const TimestampNs sample = std::clamp<TimestampNs>(now - frame.askedAt, 1, kMaxRoundTrip);
    roundTrip_ += (sample - roundTrip_) / 8;
}

}  // namespace verbcast
