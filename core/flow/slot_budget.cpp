#include "core/flow/slot_budget.h"

#include <algorithm>
#include <iterator>

namespace verbcast {
namespace {

std::uint32_t longSlotsOf(std::uint32_t slots) {
    return slots > SlotBudget::kForNewest ? slots - SlotBudget::kForNewest : 1;
}

}  // namespace

SlotBudget::SlotBudget(std::uint32_t slots) : slots_(slots), longSlots_(longSlotsOf(slots)) {}

std::vector<SlotBudget::Holder> SlotBudget::join(Holder holder, TimestampNs now, Holder receiver) {
    const std::lock_guard lock(mutex_);
    holders_[holder].progressAt = now;
    holders_[holder].receiver = receiver;
    return makeRoom();
}

void SlotBudget::leave(Holder holder) {
    const std::lock_guard lock(mutex_);
    holders_.erase(holder);
}

/// Whether a holder that lags has it: it will be held for a while.
bool SlotBudget::isLong(std::uint64_t sequence) const {
    return std::ranges::any_of(holders_, [&](const auto& entry) {
        return entry.second.lags && std::ranges::count(entry.second.frames, sequence) > 0;
    });
}

/// How many different frames are held for which include(state, frame) is true.
template <typename Include>
std::uint32_t SlotBudget::countFrames(Include&& include) const {
    std::vector<std::uint64_t> frames;
    for (const auto& [holder, state] : holders_) {
        std::ranges::copy_if(state.frames, std::back_inserter(frames),
                             [&, &of = state](std::uint64_t frame) { return include(of, frame); });
    }
    std::ranges::sort(frames);
    return static_cast<std::uint32_t>(std::unique(frames.begin(), frames.end()) - frames.begin());
}

std::uint32_t SlotBudget::countLong() const {
    return countFrames([](const State& state, std::uint64_t) { return state.lags; });
}

std::uint32_t SlotBudget::countOld() const {
    return countFrames([this](const State&, std::uint64_t frame) { return isOld(frame); });
}

bool SlotBudget::holdsOld(const State& state, std::uint64_t newest) {
    return std::ranges::any_of(state.frames, [newest](std::uint64_t frame) { return frame + 2 <= newest; });
}

bool SlotBudget::anyWillLag(std::uint64_t sequence) const {
    return std::ranges::any_of(holders_,
                               [sequence](const auto& entry) { return holdsOld(entry.second, sequence); });
}

bool SlotBudget::hold(Holder holder, std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    const auto found = holders_.find(holder);
    if (found == holders_.end()) {
        return false;
    }
    State& state = found->second;
    // A frame that waited until two newer ones were offered counts as held for long from the start.
    const bool lags = state.lags || isOld(sequence);
    const bool isSecond = state.frames.size() <= 1 && !isOld(sequence);
    if (lags && !isSecond && !isLong(sequence) && countLong() >= longSlots_) {
        return false;
    }
    state.lags = lags;
    state.frames.push_back(sequence);
    return true;
}

void SlotBudget::withdraw(Holder holder, std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    if (const auto found = holders_.find(holder); found != holders_.end()) {
        std::erase(found->second.frames, sequence);
    }
}

void SlotBudget::release(Holder holder, std::uint64_t sequence, TimestampNs now) {
    const std::lock_guard lock(mutex_);
    const auto found = holders_.find(holder);
    if (found == holders_.end()) {
        return;
    }
    State& state = found->second;
    std::erase(state.frames, sequence);
    state.progressAt = now;
    // It finished a frame before two newer ones were offered, and holds no old one.
    if (state.lags && !isOld(sequence) && !holdsOld(state)) {
        state.lags = false;
    }
}

std::vector<SlotBudget::Holder> SlotBudget::offer(std::uint64_t sequence, std::uint32_t slots) {
    newest_ = sequence;
    longSlots_ = longSlotsOf(std::min(slots, slots_));
    bool anyOld = false;
    for (auto& [holder, state] : holders_) {
        const bool holds = holdsOld(state);
        state.lags = state.lags || holds;
        anyOld |= holds;
    }
    return anyOld ? makeRoom() : std::vector<Holder>{};
}

/// Whether there is more than one receiver.
bool SlotBudget::anyOther() const {
    return std::ranges::any_of(holders_, [this](const auto& entry) {
        return entry.second.receiver != holders_.begin()->second.receiver;
    });
}

/// Evicts the slowest until there is room: one may share all of its frames with others.
std::vector<SlotBudget::Holder> SlotBudget::makeRoom() {
    std::vector<Holder> going;
    while (anyOther() && countOld() > longSlots_) {
        auto slowest = holders_.end();
        for (auto entry = holders_.begin(); entry != holders_.end(); ++entry) {
            if (holdsOld(entry->second) &&
                (slowest == holders_.end() || entry->second.progressAt < slowest->second.progressAt)) {
                slowest = entry;
            }
        }
        going.push_back(slowest->first);
        holders_.erase(slowest);
    }
    return going;
}

}  // namespace verbcast
