#include "app/commands/compose/mosaic/input_router.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace verbcast {
namespace {

constexpr std::size_t kMaxViewers = 256;  // those that left are forgotten beyond
constexpr std::size_t kMaxSent = 4096;    // of inputs that never say what they show

bool hasPlace(InputKind kind) {
    return kind == InputKind::PointerMove || kind == InputKind::PointerButton || kind == InputKind::Wheel ||
           kind == InputKind::Touch;
}

/// Keeps account of the buttons and fingers that are down.
void holds(std::set<std::uint64_t>& down, const InputEvent& event) {
    if (event.kind == InputKind::ReleaseAll) {
        down.clear();
    } else if (event.kind == InputKind::PointerButton || event.kind == InputKind::Touch) {
        constexpr std::size_t kMaxDown = 64;
        const std::uint64_t which = std::uint64_t{event.code} << 1 | (event.kind == InputKind::Touch ? 1 : 0);
        if (!event.pressed) {
            down.erase(which);
        } else if (down.size() < kMaxDown) {
            down.insert(which);
        }
    }
}

}  // namespace

void InputRouter::show(std::vector<Pane> panes) {
    const std::lock_guard lock(mutex_);
    panes_ = std::move(panes);
}

void InputRouter::shows(std::uint64_t pane, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    std::erase_if(sent_, [&](const Sent& sent) {
        const bool seen = sent.pane == pane && sent.number <= number;
        shown_ = seen ? std::max(shown_, sent.serial) : shown_;
        return seen;
    });
}

std::uint64_t InputRouter::shown() const {
    const std::lock_guard lock(mutex_);
    return shown_;
}

void InputRouter::apply(std::span<const ViewerInput> events) {
    const std::lock_guard lock(mutex_);
    for (const ViewerInput& input : events) {
        apply(input);
    }
}

const InputRouter::Pane* InputRouter::paneOf(const Viewer& viewer) const {
    const auto last = std::ranges::find(panes_, viewer.pane, &Pane::id);
    if (last != panes_.end()) {
        return &*last;
    }
    const auto focused = std::ranges::find(panes_, true, &Pane::focused);
    return focused != panes_.end() ? &*focused : nullptr;
}

const InputRouter::Pane* InputRouter::paneUnder(float x, float y) const {
    for (auto pane = panes_.rbegin(); pane != panes_.rend(); ++pane) {
        const TargetRect& clip = pane->clip;
        if (x >= static_cast<float>(clip.left) && y >= static_cast<float>(clip.top) &&
            x < static_cast<float>(clip.left + clip.width) &&
            y < static_cast<float>(clip.top + clip.height)) {
            return &*pane;
        }
    }
    return nullptr;
}

void InputRouter::apply(const ViewerInput& input) {
    if (viewers_.size() >= kMaxViewers && !viewers_.contains(input.viewer)) {
        viewers_.erase(viewers_.begin());
    }
    Viewer& viewer = viewers_[input.viewer];
    const Pane* pane = paneOf(viewer);
    if (hasPlace(input.event.kind)) {
        const Pane* const under = paneUnder(input.event.x, input.event.y);
        if (viewer.down.empty() && under != nullptr && under != pane) {
            if (pane != nullptr && pane->id == viewer.pane) {
                send(*pane, {.kind = InputKind::ReleaseAll}, input.serial);
            }
            pane = under;
        }
        if (pane == nullptr || (under != pane && viewer.down.empty())) {
            return;  // beside all pictures
        }
        viewer.pane = pane->id;
    }
    holds(viewer.down, input.event);
    if (pane != nullptr) {
        send(*pane, input.event, input.serial);
    }
}

void InputRouter::send(const Pane& pane, InputEvent event, std::uint64_t serial) {
    if (hasPlace(event.kind)) {
        const StreamPoint point = streamPointAt(
            pane.format, fitPlacement(pane.format, pane.area.width, pane.area.height),
            event.x - static_cast<float>(pane.area.left), event.y - static_cast<float>(pane.area.top));
        event.x = static_cast<float>(point.x);
        event.y = static_cast<float>(point.y);
    }
    if (const std::uint64_t number = pane.input->sendInput(event); number != 0) {
        sent_.push_back({pane.id, number, serial});
        if (sent_.size() > kMaxSent) {
            sent_.pop_front();
        }
    }
}

}  // namespace verbcast
