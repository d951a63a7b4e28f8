#include "app/window/picture/frame_pairing.h"

#include <algorithm>
#include <utility>

#include "core/video/picture_changes.h"

namespace verbcast {

FrameMoment momentOf(const ReceivedFrame& frame) {
    return {frame.info.sequence, frame.info.pts, frame.format ? frame.format->timeBase : Rational{1, 1000}};
}

double secondsBetween(const FrameMoment& a, const FrameMoment& b) {
    return static_cast<double>(b.pts) * b.timeBase.value() - static_cast<double>(a.pts) * a.timeBase.value();
}

bool sameMoment(const FrameMoment& a, const FrameMoment& b) {
    if (a.pts == 0 && b.pts == 0) {
        return a.sequence == b.sequence;
    }
    return std::abs(secondsBetween(a, b)) < std::max(a.timeBase.value(), b.timeBase.value()) / 2;
}

void FramePairing::add(std::size_t side, ReceivedFrame frame, TimestampNs now) {
    Side& of = sides_.at(side);
    of.heldSince = of.held.empty() ? now : of.heldSince;
    of.recent.push_back(momentOf(frame));
    if (of.recent.size() > depth_ + 1) {
        of.recent.pop_front();
    }
    of.held.push_back(std::move(frame));
}

bool FramePairing::mayMeet() const {
    return std::ranges::any_of(sides_[0].recent, [this](const FrameMoment& moment) {
        return std::ranges::any_of(sides_[1].recent,
                                   [&](const FrameMoment& other) { return sameMoment(moment, other); });
    });
}

bool FramePairing::mayWait(const Side& side, TimestampNs now) const {
    return side.held.empty() ||
           (side.held.size() < depth_ && now - side.heldSince < std::chrono::nanoseconds(kPatience).count());
}

void FramePairing::choose(const std::optional<FrameMoment>& shown0, const std::optional<FrameMoment>& shown1,
                          TimestampNs now) {
    // What a side could show, newest last; number 0 is what it shows now.
    const auto moments = [](const Side& side, const std::optional<FrameMoment>& shown) {
        std::deque<std::optional<FrameMoment>> all{shown};
        for (const ReceivedFrame& frame : side.held) {
            all.emplace_back(momentOf(frame));
        }
        return all;
    };
    const auto first = moments(sides_[0], shown0), second = moments(sides_[1], shown1);
    std::size_t newest = 0;
    bool met = false;
    for (std::size_t i = 0; i < first.size(); ++i) {
        for (std::size_t j = 0; j < second.size(); ++j) {
            if (first[i] && second[j] && sameMoment(*first[i], *second[j]) && i + j >= newest) {
                sides_[0].chosen = i;
                sides_[1].chosen = j;
                newest = i + j;
                met = i + j > 0;
            }
        }
    }
    const bool wait = mayWait(sides_[0], now) && mayWait(sides_[1], now) && mayMeet();
    if (!met && !wait) {
        sides_[0].chosen = sides_[0].held.size();
        sides_[1].chosen = sides_[1].held.size();
    } else if (!met) {
        sides_[0].chosen = sides_[1].chosen = 0;
    }
}

FramePairing::Chosen FramePairing::take(std::size_t side) {
    Side& of = sides_.at(side);
    Chosen result;
    PictureChanges changes = PictureChanges::none();
    for (; of.chosen > 0; --of.chosen) {
        result.passedOver += result.frame ? 1 : 0;
        changes.add(PictureChanges::of(of.held.front().info));
        result.frame = std::move(of.held.front());
        of.held.pop_front();
    }
    if (result.frame) {
        changes.tellIn(result.frame->info);
    }
    return result;
}

FramePairing::Chosen FramePairing::takeNewest(std::size_t side) {
    sides_.at(side).chosen = sides_.at(side).held.size();
    return take(side);
}

void FramePairing::forget(std::size_t side) {
    sides_.at(side) = {};
}

}  // namespace verbcast
