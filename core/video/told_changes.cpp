#include "core/video/told_changes.h"

#include <algorithm>

namespace verbcast {

void ToldChanges::forget() {
    unread_ = PictureChanges::all();
    std::ranges::for_each(read_, [](auto& each) { each.second = PictureChanges::all(); });
}

void ToldChanges::reading(std::uint64_t number, std::uint32_t width, std::uint32_t height) {
    PictureChanges changes = unread_.isAll() ? PictureChanges::all() : PictureChanges::none();
    for (const FrameRect& rect : unread_.rects()) {
        const std::uint32_t left = std::min<std::uint32_t>(rect.x, width);
        const std::uint32_t right = std::min<std::uint32_t>(std::uint32_t{rect.x} + rect.width, width);
        const std::uint32_t bottom = std::min<std::uint32_t>(rect.y, height);
        const std::uint32_t top = std::min<std::uint32_t>(std::uint32_t{rect.y} + rect.height, height);
        changes.add(FrameRect{static_cast<std::uint16_t>(left), static_cast<std::uint16_t>(height - top),
                              static_cast<std::uint16_t>(right - left),
                              static_cast<std::uint16_t>(top - bottom)});
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
