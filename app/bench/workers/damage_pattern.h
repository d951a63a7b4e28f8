// The content of partially changing frames, as `--damage` writes and checks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/video/picture_changes.h"

namespace verbcast {

/// Each frame changes one band of rows, moving down from frame to frame and back to the top at the end. Every
/// byte of a row identifies the frame that wrote it, so a whole picture is determined by its frame's number.
/// Not thread-safe.
class DamagePattern {
  public:
    /// Percentage of the picture's height that changes, in pairs of rows: 0 to 100.
    DamagePattern(const VideoFormat& format, double percent);

    /// What changed since the previous frame.
    PictureChanges changes(std::uint64_t number) const;
    /// Updates a slot that holds the picture of frame `holds`; nullopt: draws all of it. Writes each change
    /// only once.
    void draw(std::byte* payload, std::optional<std::uint64_t> holds, std::uint64_t number) const;
    /// Reads every byte; returns true if it is the picture of that frame.
    bool isRight(const std::byte* payload, std::uint64_t number) const;

  private:
    std::uint64_t writerOf(std::uint32_t row, std::uint64_t number) const;
    FrameRect band(std::uint64_t number) const;
    void drawRows(std::byte* payload, const FrameRect& rows, std::uint64_t number) const;

    const VideoFormat format_;
    std::uint32_t bandRows_ = 0, bands_ = 0;
};

}  // namespace verbcast
