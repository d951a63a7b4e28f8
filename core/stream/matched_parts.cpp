#include "core/stream/matched_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace verbcast {
namespace {

/// This many frames in a row without a partner mean that the hosts' clocks are apart.
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

/// Returns whether there have been as many once more.
bool MatchedParts::noteUnmatched(Part& part) {
    if (++part.unmatched == kManyUnmatched) {
        mismatch_ = fmt::format(
            "{}: none of its last {} frames has the time stamp of one of every other part: use "
            "the same --fps for all, and keep the hosts' clocks together (NTP, PTP)",
            part.name, kManyUnmatched);
        note(mismatch_);
    }
    return part.unmatched % kManyUnmatched == 0;
}

void MatchedParts::leave(Part& part) {
    part.frame.reset();
    ++part.left;
}

std::uint64_t MatchedParts::framesLeft() const {
    return std::accumulate(parts_.begin(), parts_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Part& part) { return sum + part.left; });
}

/// Drops frames that are older than some part's: their partner will not come any more. Returns false if there
/// were none. After very many of them that part's goes, too: its clock may have been set back since.
bool MatchedParts::dropUnmatched() {
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (const Part& part : parts_) {
        latest = part.frame ? std::max(latest, part.frame->info.pts) : latest;
    }
    bool dropped = false, many = false;
    for (Part& part : parts_) {
        if (part.frame && part.frame->info.pts < latest) {
            leave(part);
            many = noteUnmatched(part) || many;
            dropped = true;
        }
    }
    for (Part& part : parts_) {
        if (many && part.frame) {
            leave(part);
        }
    }
    return dropped;
}

/// Returns Ok without a frame, too, if none is to be expected.
Status MatchedParts::awaitSpare(Part& part, std::chrono::nanoseconds timeout) {
    const auto isThere = [&part] {
        const StreamState state = part.receiver->status().state;
        return state == StreamState::Connected || state == StreamState::Streaming;
    };
    const Status status = awaitFrame(part, isThere() ? timeout : std::chrono::nanoseconds(0));
    const bool goesOn = status == Status::Closed || (status == Status::TimedOut && !isThere());
    return goesOn ? Status::Ok : status;
}

Status MatchedParts::awaitSet(std::chrono::nanoseconds timeout) {
    for (Part& part : parts_) {
        const Status status = part.spare ? awaitSpare(part, timeout) : awaitFrame(part, timeout);
        if (status != Status::Ok) {
            return status;
        }
    }
    return dropUnmatched() ? Status::TimedOut : Status::Ok;
}

bool MatchedParts::complete() const {
    return std::ranges::all_of(parts_, [](const Part& part) { return part.spare || part.frame; });
}

bool MatchedParts::dropTakenBack() {
    bool dropped = false;
    for (Part& part : parts_) {
        if (part.frame && !part.receiver->confirm(*part.frame)) {
            leave(part);
            dropped = true;
        }
    }
    return dropped;
}

void MatchedParts::leaveSet() {
    for (Part& part : parts_) {
        if (part.frame) {
            leave(part);
            part.changed = PictureChanges::all();
        }
    }
}

void MatchedParts::finishSet() {
    for (Part& part : parts_) {
        part.frame.reset();
        part.changed = PictureChanges::none();
        part.unmatched = 0;
    }
    mismatch_.clear();
}

}  // namespace verbcast
