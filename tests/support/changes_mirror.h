// Checks the changes that frames claim.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "core/video/picture_changes.h"

namespace verbcast::testing {

/// Calls visit(offset in the payload, bytes) for each row of each plane that a rectangle touches.
template <typename Visit>
void eachRow(const VideoFormat& format, const FrameRect& rect, Visit&& visit) {
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        const PlaneRegion region = planeRegion(format, plane, rect);
        const std::uint64_t group = pixelFormatInfo(format.pixelFormat).planes[plane].bytesPerGroup;
        for (std::uint64_t row = region.row; row < std::uint64_t{region.row} + region.rows; ++row) {
            visit(format.planes[plane].offset + row * format.planes[plane].stride + region.group * group,
                  region.groups * group);
        }
    }
}

/// A random rectangle, at most 1/share of the picture wide and high.
inline FrameRect randomRect(const VideoFormat& format, std::mt19937& random, std::uint32_t share) {
    FrameRect rect;
    rect.width = static_cast<std::uint16_t>(1 + random() % (format.width / share));
    rect.height = static_cast<std::uint16_t>(1 + random() % (format.height / share));
    rect.x = static_cast<std::uint16_t>(random() % (format.width - rect.width + 1));
    rect.y = static_cast<std::uint16_t>(random() % (format.height - rect.height + 1));
    return rect;
}

/// A copy of the picture, updated only where frames claim changes.
class ChangesMirror {
  public:
    /// Applies the changes and tells whether the copy then equals the frame.
    ::testing::AssertionResult follow(const VideoFormat& format, const std::byte* payload,
                                      const PictureChanges& changes) {
        if (changes.isAll()) {
            picture_.assign(payload, payload + format.payloadBytes);
        } else if (format_ != format) {
            return ::testing::AssertionFailure() << "changes of a picture that never came";
        } else {
            ++parts;
            for (const FrameRect& rect : changes.rects()) {
                eachRow(format, rect, [&](std::uint64_t at, std::uint64_t bytes) {
                    std::memcpy(&picture_[at], payload + at, bytes);
                });
            }
        }
        format_ = format;
        bool same = true;
        eachRow(format, wholePicture(format), [&](std::uint64_t at, std::uint64_t bytes) {
            same &= std::memcmp(&picture_[at], payload + at, bytes) == 0;
        });
        return same ? ::testing::AssertionSuccess()
                    : ::testing::AssertionFailure() << "more has changed than the frame tells";
    }

    std::uint64_t parts = 0;  ///< frames that claimed less than all

  private:
    std::optional<VideoFormat> format_;
    std::vector<std::byte> picture_;
};

}  // namespace verbcast::testing
