#include "core/stream/matched_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace verbcast {
namespace {

/// Frames in a row that belong to none of another part: the hosts' clocks are apart.
constexpr std::uint64_t kManyUnmatched = 120;

}  // namespace

Status MatchedParts::awaitFrame(Part& part, std::chrono::nanoseconds timeout) {
    if (part.frame) {
        return Status::Ok;
    }
    ReceivedFrame frame;
    const Status status = part.receiver->receive(frame, timeout);
    if (status == Status::Ok) {
        part.changed.add(PictureChanges::of(frame.info));
        part.frame = std::move(frame);
        if (std::exchange(part.lost, false)) {
            note(fmt::format("{}: signal restored", part.name));
        }
    } else if (status == Status::TimedOut) {
        noteLoss(part);
    }
    return status;
}

void MatchedParts::noteLoss(Part& part) {
    const ReceiverStatus status = part.receiver->status();
    if (status.state == StreamState::Lost && !std::exchange(part.lost, true)) {
        note(fmt::format("{}: signal lost ({}); trying again", part.name, status.senderReason));
    }
}

void MatchedParts::noteUnmatched(Part& part) {
    if (++part.unmatched == kManyUnmatched) {
        note(
            fmt::format("{}: none of its last {} frames has the time stamp of one of every other part: use "
                        "the same --fps for all, and keep the hosts' clocks together (NTP, PTP)",
                        part.name, kManyUnmatched));
    }
}

void MatchedParts::leave(Part& part) {
    part.frame.reset();
    ++part.left;
}

std::uint64_t MatchedParts::framesLeft() const {
    return std::accumulate(parts_.begin(), parts_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Part& part) { return sum + part.left; });
}

/// What is older than the oldest frame of some part: its partner will not come any more. False when nothing
/// was.
bool MatchedParts::dropUnmatched() {
    std::int64_t latest = parts_.front().frame->info.pts;
    for (const Part& part : parts_) {
        latest = std::max(latest, part.frame->info.pts);
    }
    bool dropped = false;
    for (Part& part : parts_) {
        if (part.frame->info.pts < latest) {
            leave(part);
            noteUnmatched(part);
            dropped = true;
        }
    }
    return dropped;
}

Status MatchedParts::awaitSet(std::chrono::nanoseconds timeout) {
    for (Part& part : parts_) {
        if (const Status status = awaitFrame(part, timeout); status != Status::Ok) {
            return status;
        }
    }
    return dropUnmatched() ? Status::TimedOut : Status::Ok;
}

bool MatchedParts::dropTakenBack() {
    bool dropped = false;
    for (Part& part : parts_) {
        if (!part.receiver->confirm(*part.frame)) {
            leave(part);
            dropped = true;
        }
    }
    return dropped;
}

void MatchedParts::finishSet() {
    for (Part& part : parts_) {
        part.frame.reset();
        part.changed = PictureChanges::none();
        part.unmatched = 0;
    }
}

}  // namespace verbcast
