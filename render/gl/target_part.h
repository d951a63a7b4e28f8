// Parts of what is drawn into. No GL here.
#pragma once

#include <algorithm>

namespace verbcast {

/// In whole target pixels, from its top left corner.
struct TargetRect {
    int left = 0, top = 0, width = 0, height = 0;
    /// Whether it covers a whole target of this size.
    bool covers(int targetWidth, int targetHeight) const {
        return left <= 0 && top <= 0 && left + width >= targetWidth && top + height >= targetHeight;
    }
    bool isEmpty() const { return width <= 0 || height <= 0; }
    friend bool operator==(const TargetRect&, const TargetRect&) = default;
};

/// The intersection; without a width or a height if there is none.
inline TargetRect commonPart(const TargetRect& a, const TargetRect& b) {
    const int left = std::max(a.left, b.left), top = std::max(a.top, b.top);
    return {left, top, std::max(std::min(a.left + a.width, b.left + b.width) - left, 0),
            std::max(std::min(a.top + a.height, b.top + b.height) - top, 0)};
}

/// The place of a framebuffer's row 0.
enum class RowOrder {
    TopFirst,     ///< top of the picture: drawn upside down for OpenGL, so no row needs flipping
    BottomFirst,  ///< bottom, as OpenGL draws
};

/// The part of a target that belongs to one picture.
struct TargetPart {
    int targetWidth = 0, targetHeight = 0;
    TargetRect area;  ///< a Placement is relative to its top left corner
    TargetRect clip;  ///< limits drawing within the area; nothing outside is touched
    RowOrder rows = RowOrder::BottomFirst;
    bool opaqueLater = false;   ///< the caller sets the target's alpha in the end, so copies may bring theirs
    bool alwaysLinear = false;  ///< filters from 200 % on, too

    /// The framebuffer's lowest row of a rectangle of the target.
    int rowOf(const TargetRect& rect) const {
        return rows == RowOrder::TopFirst ? rect.top : targetHeight - rect.top - rect.height;
    }
};

}  // namespace verbcast
