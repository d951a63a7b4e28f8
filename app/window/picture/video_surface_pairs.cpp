// Chooses the frames of two pictures being compared.
#include <array>
#include <utility>

#include "app/window/picture/video_surface.h"

namespace verbcast {

bool VideoSurface::pairs() const {
    return (layout_->way == LayoutWay::Wipe || layout_->way == LayoutWay::Difference) && order_.size() == 2 &&
           pairing_.depth() > 0;
}

bool VideoSurface::takePair() {
    paired_ = order_;
    const TimestampNs now = nowNs();
    std::array<std::optional<FrameMoment>, 2> shown;
    for (std::size_t side = 0; side < 2; ++side) {
        PicturePane& pane = *panes_[order_[side]];
        if (auto frame = pane.nextFrame()) {
            pairing_.add(side, std::move(*frame), now);
        }
        shown[side] = pane.hasPicture() ? std::optional(pane.moment()) : std::nullopt;
    }
    pairing_.choose(shown[0], shown[1], now);
    bool reshaped = false;
    for (std::size_t side = 0; side < 2; ++side) {
        PicturePane& pane = *panes_[order_[side]];
        auto chosen = pairing_.take(side);
        pane.passOver(chosen.passedOver);
        reshaped |= chosen.frame && showIn(order_[side], std::move(*chosen.frame));
    }
    if (pairing_.waits() && !patience_.isActive()) {
        patience_.start(FramePairing::kPatience);
    }
    return reshaped;
}

/// Shows frames still waiting for pictures that are no longer compared with theirs.
bool VideoSurface::showHeld() {
    bool reshaped = false;
    const std::vector<std::size_t> panes = std::exchange(paired_, {});
    for (std::size_t side = 0; side < panes.size(); ++side) {
        auto last = pairing_.takeNewest(side);
        panes_[panes[side]]->passOver(last.passedOver);
        reshaped |= last.frame && showIn(panes[side], std::move(*last.frame));
    }
    return reshaped;
}

std::optional<bool> VideoSurface::comparesSameFrame() const {
    const bool compared =
        (layout_->way == LayoutWay::Wipe || layout_->way == LayoutWay::Difference) && order_.size() == 2;
    return compared && panes_[order_[0]]->hasPicture() && panes_[order_[1]]->hasPicture()
               ? std::optional(sameMoment(panes_[order_[0]]->moment(), panes_[order_[1]]->moment()))
               : std::nullopt;
}

}  // namespace verbcast
