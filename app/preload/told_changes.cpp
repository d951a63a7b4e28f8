#include "app/preload/told_changes.h"

#include <algorithm>

namespace verbcast {

void ToldChanges::forget() {
    unread_ = PictureChanges::all();
    std::ranges::for_each(read_, [](auto& each) { each.second = PictureChanges::all(); });
}

void ToldChanges::reading(std::uint64_t number, std::uint32_t width, std::uint32_t height) {
    PictureChanges changes = unread_.isAll() ? PictureChanges::all() : PictureChanges::none();
    for (const FrameRect& rect : unread_.rects()) {
        const FrameRect seen =
            commonPart(rect, {0, 0, static_cast<std::uint16_t>(width), static_cast<std::uint16_t>(height)});
        changes.add(
            {seen.x, static_cast<std::uint16_t>(height - seen.y - seen.height), seen.width, seen.height});
    }
    read_.emplace_back(number, changes);
    unread_ = PictureChanges::none();
}

PictureChanges ToldChanges::sending(std::uint64_t number) {
    PictureChanges changes = PictureChanges::none();
    std::erase_if(read_, [&](const auto& each) {
        if (each.first <= number) {
            changes.add(each.second);
        }
        return each.first <= number;
    });
    return changes;
}

}  // namespace verbcast
