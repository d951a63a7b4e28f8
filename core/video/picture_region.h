// A part of a picture as a picture of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/video/picture_changes.h"
#include "core/video/video_format.h"

namespace verbcast {

/// What a receiver that wants part of the pictures gets of each.
struct PictureRegion {
    FrameRect wanted;  ///< pixels of the sender's picture; empty: no part of it fits, and little is sent
    FrameRect held;    ///< what the frames contain: `wanted` in whole chroma samples, or a little more
    std::uint32_t pictureWidth = 0, pictureHeight = 0;

    bool isNone() const { return wanted.isEmpty(); }
    friend bool operator==(const PictureRegion&, const PictureRegion&) = default;
};

/// The part of pictures of a format that a receiver wants; nothing: none of it fits, and as little as
/// possible is sent. Called on the thread that serves the connection, once per format.
using RegionWish = std::function<std::optional<FrameRect>(const VideoFormat& format)>;

/// The region to send so that all of `wanted` is included: the smallest rectangle of whole chroma samples, of
/// whole 128-byte row units where rows are padded (v210: 48 pixels), and of at least kMinDimension either
/// way. `wanted` is not empty and lies in the picture.
FrameRect alignedRegion(const VideoFormat& format, const FrameRect& wanted);
/// What a receiver with that wish gets of pictures of that format. The wish's answer is checked.
PictureRegion chooseRegion(const VideoFormat& format, const RegionWish& wish);

/// Why a picture of that format cannot be cropped like this, or nothing: the rectangle leaves the picture, is
/// empty, or is no alignedRegion(). Safe for numbers from an untrusted peer.
std::optional<std::string> regionProblem(const VideoFormat& format, const FrameRect& region);

/// The format of the region's pixels alone, without padding. regionProblem() must have found nothing, here
/// and below.
VideoFormat regionFormat(const VideoFormat& format, const FrameRect& region);
/// The same, but describing the pixels in place within a payload of the whole picture: read from its start.
VideoFormat regionInPlace(const VideoFormat& format, const FrameRect& region);

/// Copies part of a picture to another of the same pixel format, without depths. The part lies in the first
/// picture, and moved to `corner` in the second; both corners are valid for alignedRegion().
struct PicturePoint {
    std::uint16_t x = 0, y = 0;
};
void copyPart(const VideoFormat& from, const std::byte* source, const FrameRect& part, const VideoFormat& to,
              std::byte* target, PicturePoint corner);

/// The changes within the region, relative to its top left corner.
PictureChanges changesWithin(const PictureChanges& changes, const FrameRect& region);

}  // namespace verbcast
