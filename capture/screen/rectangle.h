// A part of a screen.
#pragma once

#include <algorithm>

namespace verbcast {

/// In pixels; empty if width or height is not positive.
struct Rectangle {
    int x = 0, y = 0;
    int width = 0, height = 0;

    int right() const { return x + width; }
    int bottom() const { return y + height; }
    bool empty() const { return width <= 0 || height <= 0; }
    Rectangle movedBy(int dx, int dy) const { return {x + dx, y + dy, width, height}; }
    friend bool operator==(const Rectangle&, const Rectangle&) = default;
};

inline Rectangle intersection(const Rectangle& a, const Rectangle& b) {
    const int left = std::max(a.x, b.x);
    const int top = std::max(a.y, b.y);
    return {left, top, std::min(a.right(), b.right()) - left, std::min(a.bottom(), b.bottom()) - top};
}

inline bool overlap(const Rectangle& a, const Rectangle& b) {
    return !a.empty() && !b.empty() && !intersection(a, b).empty();
}

}  // namespace verbcast
