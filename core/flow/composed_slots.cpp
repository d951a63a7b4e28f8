// Per frame: a grant for each sender, then join(). No copy of pixels, no allocation.
#include "core/flow/composed_slots.h"

#include <fmt/format.h>

#include <utility>

namespace verbcast {

ComposedSlots::ComposedSlots(const PlaceRule& rule, std::vector<std::vector<ByteBlock>> within)
    : rule_(rule), within_(std::move(within)), open_(within_.size()) {
    placeOf_.fill(kNone);
}

std::shared_ptr<ComposedSlots> ComposedSlots::over(const FramePool& ring, const PlaceRule& rule,
                                                   std::vector<std::vector<ByteBlock>> within) {
    if (ring.slotCount() <= rule.places) {
        throw Error(ErrorKind::Usage, fmt::format("a ring of {} slots for frames of {} places: more expected",
                                                  ring.slotCount(), rule.places));
    }
    std::shared_ptr<ComposedSlots> slots(new ComposedSlots(rule, std::move(within)));
    for (std::size_t i = 0; i < slots->within_.size(); ++i) {
        slots->parts_.push_back(FramePool::viewOf(ring));
        slots->kept_.emplace_back(ring.slotCount());
    }
    slots->whole_ = FramePool::viewOf(ring, slots);
    for (std::uint16_t place = 0; place < rule.places; ++place) {
        slots->unbound_.push(place);
    }
    for (std::uint32_t slot = 0; slot < ring.slotCount(); ++slot) {
        slots->idle_.push(static_cast<std::uint16_t>(slot));
    }
    slots->bind();
    return slots;
}

/// Nobody may write into an idle slot: it is either kept, or taken but not granted. So it becomes free once
/// it has a place or, if a frame that came before its sender was closed still lies there, once that is gone.
void ComposedSlots::bind() noexcept {
    while (!unbound_.empty() && !idle_.empty()) {
        const std::uint16_t slot = idle_.pop();
        placeOf_[slot] = unbound_.pop();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            kept_[i][slot].reset();
            parts_[i]->slots().freeTaken(slot);
        }
    }
}

void ComposedSlots::open(std::size_t sender) {
    const std::lock_guard lock(mutex_);
    open_[sender] = true;
}

void ComposedSlots::close(std::size_t sender) {
    const std::lock_guard lock(mutex_);
    open_[sender] = false;
}

PlacedCredit ComposedSlots::grant(std::size_t sender) {
    PlacedCredit credit;
    Slots& slots = parts_[sender]->slots();
    if (slots.freeCount() == 0) {
        return credit;
    }
    const std::lock_guard lock(mutex_);
    slots.takeFree([&](std::uint32_t slot) {
        if (placeOf_[slot] != kNone) {
            credit.push(placeOf_[slot], slot);
        }
    });
    return credit;
}

bool ComposedSlots::isPlaced(std::uint32_t slot) const {
    const std::lock_guard lock(mutex_);
    return slot < kMaxSlots && placeOf_[slot] != kNone;
}

bool ComposedSlots::isPlaced(std::uint32_t slot, std::int64_t pts) const {
    const std::lock_guard lock(mutex_);
    return slot < kMaxSlots && placeOf_[slot] == rule_.placeOf(pts);
}

std::optional<std::uint32_t> ComposedSlots::commonSlot(std::span<const FrameLease* const> leases) const {
    std::optional<std::uint32_t> slot;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const FrameLease* lease = i < leases.size() ? leases[i] : nullptr;
        if (lease == nullptr || lease->pool() != parts_[i]) {
            if (open_[i]) {
                return std::nullopt;
            }
            continue;
        }
        if (slot && *slot != lease->slot()) {
            return std::nullopt;
        }
        slot = lease->slot();
    }
    return slot && placeOf_[*slot] != kNone ? slot : std::nullopt;
}

std::optional<std::uint32_t> ComposedSlots::slotOf(std::span<const FrameLease* const> leases) const {
    const std::lock_guard lock(mutex_);
    return commonSlot(leases);
}

std::optional<FrameLease> ComposedSlots::join(std::span<FrameLease* const> leases) {
    const std::lock_guard lock(mutex_);
    const auto slot = commonSlot({leases.data(), leases.size()});
    auto whole = slot ? whole_->adopt(*slot) : std::nullopt;
    if (!whole) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < parts_.size() && i < leases.size(); ++i) {
        if (leases[i] != nullptr && leases[i]->pool() == parts_[i]) {
            kept_[i][*slot] = std::move(*leases[i]);
        }
    }
    unbound_.push(std::exchange(placeOf_[*slot], kNone));
    bind();
    return whole;
}

void ComposedSlots::onFree(std::uint32_t slot) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push(static_cast<std::uint16_t>(slot));
    bind();
}

}  // namespace verbcast
