#include "app/window/picture/picture_pane.h"

#include <utility>

#include "render/picture_geometry.h"

namespace verbcast {

void PicturePane::setMailbox(FrameMailbox* mailbox) {
    mailbox_ = mailbox;
    isNewMailbox_ = true;
    drawn_.reset();  // of the previous stream, which nobody can be told about
    uploadTimes_.clear();
}

void PicturePane::setPlace(const std::optional<PicturePlace>& place) {
    place_ = place;
    if (place) {
        view_.setTarget(place->area.width, place->area.height);
    }
}

bool PicturePane::contains(const QPointF& target) const {
    return place_ && target.x() >= place_->clip.left && target.y() >= place_->clip.top &&
           target.x() < place_->clip.left + place_->clip.width &&
           target.y() < place_->clip.top + place_->clip.height;
}

std::optional<ReceivedFrame> PicturePane::nextFrame() {
    ReceivedFrame frame;
    return mailbox_ != nullptr && mailbox_->take(frame) ? std::optional(std::move(frame)) : std::nullopt;
}

void PicturePane::passOver(std::uint64_t frames) {
    if (mailbox_ != nullptr) {
        mailbox_->passOver(frames);
    }
}

bool PicturePane::show(ReceivedFrame frame) {
    const DisplaySize before = size();
    PictureChanges changes = std::exchange(missed_, PictureChanges::none());
    changes.add(std::exchange(isNewMailbox_, false) ? PictureChanges::all() : PictureChanges::of(frame.info));
    if (!renderer_.take(*frame.format, frame.lease, changes,
                        [&] { return mailbox_ == nullptr || mailbox_->confirm(frame); })) {
        missed_ = changes;
        return false;
    }
    frame.lease.reset();
    if (tile_) {
        tile_->follow(frame);
    }
    uploadTimes_.record(static_cast<std::int64_t>(renderer_.uploadReport().lastMilliseconds * 1e6));
    const DisplaySize now = size();
    view_.setPicture(now);
    moment_ = momentOf(frame);
    drawn_ = std::move(frame);
    return before.width * now.height != before.height * now.width || before.width == 0;
}

void PicturePane::draw(int targetWidth, int targetHeight, const float (&clear)[3],
                       const std::vector<std::string>& overlays) {
    if (!place_) {
        return;
    }
    const TargetPart part{targetWidth, targetHeight, place_->area, place_->clip};
    if (tile_) {
        tile_->draw(renderer_, part);
    } else if (place_->blend.covers()) {
        renderer_.draw(view_.placement(), part, clear);
    } else {
        renderer_.drawOver(view_.placement(), part, place_->blend);
    }
    overlays_.draw(overlays, renderer_, part);
}

std::optional<ReceivedFrame> PicturePane::takeDrawn() {
    return std::exchange(drawn_, std::nullopt);
}

DisplaySize PicturePane::size() const {
    return !hasPicture() ? DisplaySize{} : tile_ ? tile_->size() : displaySize(renderer_.format());
}

std::optional<QPointF> PicturePane::streamPoint(const QPointF& target) const {
    if (!hasPicture() || !place_) {
        return std::nullopt;
    }
    if (tile_) {
        const auto point =
            tile_->streamPoint({target.x() - place_->area.left, target.y() - place_->area.top}, place_->area);
        return point ? std::optional(QPointF(point->x, point->y)) : std::nullopt;
    }
    const StreamPoint point = streamPointAt(renderer_.format(), view_.placement(),
                                            target.x() - place_->area.left, target.y() - place_->area.top);
    return QPointF(point.x, point.y);
}

void PicturePane::zoomAt(const QPointF& target, double factor) {
    if (place_) {
        view_.zoomAt(target.x() - place_->area.left, target.y() - place_->area.top, factor);
    }
}

}  // namespace verbcast
