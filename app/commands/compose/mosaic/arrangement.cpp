#include "app/commands/compose/mosaic/arrangement.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace verbcast {
namespace {

int between(int from, int to, double part) {
    return static_cast<int>(std::lround(from + (to - from) * part));
}

TargetRect between(const TargetRect& from, const TargetRect& to, double part) {
    return {between(from.left, to.left, part), between(from.top, to.top, part),
            between(from.width, to.width, part), between(from.height, to.height, part)};
}

}  // namespace

std::vector<Arrangement::Placed> Arrangement::between(TimestampNs now) const {
    if (!isMoving(now)) {
        return to_;
    }
    const double time = static_cast<double>(now - since_) / static_cast<double>(lasts_.count());
    const double part = time * time * (3 - 2 * time);  // starts and ends slowly
    std::vector<Placed> placed;
    for (const Placed& target : to_) {
        const auto old = std::ranges::find(from_, target.id, &Placed::id);
        if (old == from_.end()) {
            Placed fading = target;
            fading.place.blend.opacity *= static_cast<float>(part);
            placed.push_back(fading);
            continue;
        }
        Placed moved = target;
        moved.place.area = verbcast::between(old->place.area, target.place.area, part);
        moved.place.clip = verbcast::between(old->place.clip, target.place.clip, part);
        moved.place.blend.opacity =
            std::lerp(old->place.blend.opacity, target.place.blend.opacity, static_cast<float>(part));
        placed.push_back(moved);
    }
    return placed;
}

std::vector<PicturePlace> Arrangement::places(const std::vector<Picture>& pictures, TimestampNs now) {
    std::vector<DisplaySize> sizes;
    sizes.reserve(pictures.size());
    for (const Picture& picture : pictures) {
        sizes.push_back(picture.size);
    }
    request_.focus = pictures.empty() ? 0 : std::min(request_.focus, pictures.size() - 1);
    std::vector<Placed> target;
    for (PicturePlace place : layOut(sizes, request_)) {
        const PictureId id = pictures[std::exchange(place.picture, 0)].id;
        target.push_back({id, place});
    }
    if (target != to_) {
        from_ = between(now);
        since_ = now;
        lasts_ = to_.empty() ? std::chrono::nanoseconds(0) : fade_;
        to_ = std::move(target);
    }
    std::vector<PicturePlace> places;
    for (const Placed& placed : between(now)) {
        const auto picture = std::ranges::find(pictures, placed.id, &Picture::id);
        if (picture != pictures.end()) {
            places.push_back(placed.place);
            places.back().picture = static_cast<std::size_t>(picture - pictures.begin());
        }
    }
    return places;
}

}  // namespace verbcast
