#include "core/stream/rails/rail_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace verbcast {

template <typename Visit>
void RailGroup::eachQueue(Visit&& visit) const {
    for (std::uint32_t bits = present_.load(std::memory_order_acquire); bits != 0; bits &= bits - 1) {
        visit(*queues_[static_cast<std::size_t>(std::countr_zero(bits))]);
    }
}

std::string RailGroup::objectionTo(const RailHello& rail, std::uint64_t instance,
                                   const PeerTrust& trust) const {
    if (rail.mode != mode_ || rail.count != count_) {
        return fmt::format("rail {} says {} rails, {}; the stream has {}, {}", rail.index + 1, rail.count,
                           nameOf(rail.mode), count_, nameOf(mode_));
    }
    if (instance != instance_) {
        return fmt::format("rail {} leads to another program than the first: give addresses of one host",
                           rail.index + 1);
    }
    const std::lock_guard lock(mutex_);
    if (rails_[rail.index].up) {
        return fmt::format("rail {} is already connected", rail.index + 1);
    }
    if (trust.keyName != trust_.keyName || trust.grants != trust_.grants) {
        return fmt::format("rail {} shows another key than the first", rail.index + 1);
    }
    return "";
}

RailQueue& RailGroup::queue(TrackId track) {
    if ((present_.load(std::memory_order_acquire) >> track & 1U) == 0) {
        const std::lock_guard lock(mutex_);
        if (!queues_[track]) {
            queues_[track] = std::make_unique<RailQueue>(mode_, policy_, slots_);
            for (std::uint8_t rail = 0; rail < kMaxRails; ++rail) {
                if (rails_[rail].up) {
                    queues_[track]->joined(rail);
                }
            }
            present_.fetch_or(1U << track, std::memory_order_release);
        }
    }
    return *queues_[track];
}

bool RailGroup::joined(std::uint8_t rail, const ConnectionDescription& channel, const PeerTrust& trust) {
    const std::lock_guard lock(mutex_);
    trust_ = trust;
    const bool back = std::exchange(rails_[rail].known, true);
    rails_[rail].up = true;
    rails_[rail].lost = false;
    rails_[rail].channel = channel;
    ended_[rail].clear();
    eachQueue([rail](RailQueue& queue) { queue.joined(rail); });
    return back;
}

std::uint64_t RailGroup::gone(std::uint8_t rail, bool lost) {
    std::uint64_t frames = 0;
    {
        const std::lock_guard lock(mutex_);
        if (!rails_[rail].up) {
            return 0;
        }
        rails_[rail].up = false;
        rails_[rail].lost = lost;
        rails_[rail].timesDown += lost ? 1 : 0;
        eachQueue([&](RailQueue& queue) { frames += queue.gone(rail); });
    }
    ended_[rail].notify();
    return frames;
}

bool RailGroup::isUp(std::uint8_t rail) const {
    const std::lock_guard lock(mutex_);
    return rails_[rail].up;
}

bool RailGroup::anyUp() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(rails_, &Rail::up);
}

void RailGroup::countSent(std::uint8_t rail, std::uint64_t bytes, bool first) {
    sent_[rail].frames.fetch_add(1, std::memory_order_relaxed);
    sent_[rail].bytes.fetch_add(bytes, std::memory_order_relaxed);
    sent_[rail].first.fetch_add(first ? 1 : 0, std::memory_order_relaxed);
}

RailInput RailGroup::inputBy(std::uint8_t rail, std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    if (sequence <= inputSequence_) {
        return RailInput::Leave;
    }
    inputSequence_ = sequence;
    const auto before = std::exchange(inputRail_, rail);
    return before && *before != rail ? RailInput::TakeAnew : RailInput::Take;
}

bool RailGroup::endInput(std::uint8_t rail) {
    const std::lock_guard lock(mutex_);
    if (inputRail_ == rail) {
        inputRail_.reset();
        return true;
    }
    return rails_[rail].up && std::ranges::count_if(rails_, &Rail::up) == 1;
}

bool RailGroup::empty() const {
    bool all = true;
    eachQueue([&](const RailQueue& queue) { all &= queue.empty(); });
    return all;
}

bool RailGroup::canPush() const {
    bool all = true;
    eachQueue([&](const RailQueue& queue) { all &= queue.canPush(); });
    return all;
}

std::vector<QueuedFrame> RailGroup::takeAll() {
    std::vector<QueuedFrame> frames;
    eachQueue([&](RailQueue& queue) { std::ranges::move(queue.takeAll(), std::back_inserter(frames)); });
    return frames;
}

std::vector<RailStats> RailGroup::stats() const {
    std::vector<RailStats> list;
    const std::lock_guard lock(mutex_);
    for (std::uint8_t rail = 0; rail < count_; ++rail) {
        const Rail& each = rails_[rail];
        RailStats& stats = list.emplace_back();
        stats.number = rail + 1U;
        stats.transport = each.channel.transport;
        stats.local = each.channel.local;
        stats.peer = each.channel.peer;
        stats.up = each.up;
        stats.lost = each.lost;
        stats.timesDown = each.timesDown;
        stats.frames = sent_[rail].frames;
        stats.bytes = sent_[rail].bytes;
        stats.first = sent_[rail].first;
    }
    return list;
}

}  // namespace verbcast
