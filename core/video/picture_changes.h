// What changed between two pictures of the same format.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/video/frame_info.h"
#include "core/video/video_format.h"

namespace verbcast {

/// The whole picture, or some rectangles of it, perhaps none. Both pictures are equal outside them; inside
/// they may be. Beyond kMaxFrameRects the nearest ones are merged.
class PictureChanges {
  public:
    static PictureChanges all() {
        PictureChanges changes;
        changes.all_ = true;
        return changes;
    }
    static PictureChanges none() { return {}; }
    /// The changes that a frame reports; see FrameInfo::rectCount.
    static PictureChanges of(const FrameInfo& info);
    /// Writes them to a frame's info.
    void tellIn(FrameInfo& info) const;

    bool isAll() const { return all_; }
    bool isNone() const { return !all_ && count_ == 0; }
    /// Only if not isAll().
    std::span<const FrameRect> rects() const { return {rects_.data(), count_}; }

    void add(const FrameRect& rect);
    void add(const PictureChanges& other);

  private:
    PictureChanges() = default;
    void remove(std::size_t index) { rects_[index] = rects_[--count_]; }

    bool all_ = false;
    std::size_t count_ = 0;
    std::array<FrameRect, kMaxFrameRects> rects_;
};

inline FrameRect wholePicture(const VideoFormat& format) {
    return {0, 0, static_cast<std::uint16_t>(format.width), static_cast<std::uint16_t>(format.height)};
}

/// Why the rectangles of a frame cannot be parts of a picture of that format, or nothing. Safe for numbers
/// from an untrusted peer.
std::optional<std::string> changesProblem(const FrameInfo& info, const VideoFormat& format);

/// A rectangle of one plane, in whole groups of pixels (PlaneLayout).
struct PlaneRegion {
    std::uint32_t group = 0, groups = 0;
    std::uint32_t row = 0, rows = 0;
};
/// The part of a plane that a part of the picture touches. The part is not empty and lies in the picture.
PlaneRegion planeRegion(const VideoFormat& format, std::size_t plane, const FrameRect& part);
/// The same for the depths: groups of one.
inline PlaneRegion depthRegion(const FrameRect& part) {
    return {part.x, part.width, part.y, part.height};
}

}  // namespace verbcast
