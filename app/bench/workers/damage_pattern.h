// What frames hold of which a part changes: what `--damage` writes and how it is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/video/picture_changes.h"

namespace verbcast {

/// From frame to frame one band of rows changes, each time the one below, and from the bottom the top one
/// again. Every byte of a row tells the frame that wrote it, so a whole picture is known by its frame's
/// number. Used by one thread.
class DamagePattern {
  public:
    /// `percent` of the picture's height changes, in pairs of rows: 0 to 100.
    DamagePattern(const VideoFormat& format, double percent);

    /// What changed from the frame before.
    PictureChanges changes(std::uint64_t number) const;
    /// Brings a slot up to date that holds the picture of an earlier frame; nothing: of none, all of it.
    /// Writes what has changed since, once.
    void draw(std::byte* payload, std::optional<std::uint64_t> holds, std::uint64_t number) const;
    /// Reads every byte: true when it is the picture of that frame.
    bool isRight(const std::byte* payload, std::uint64_t number) const;

  private:
    std::uint64_t writerOf(std::uint32_t row, std::uint64_t number) const;
    FrameRect band(std::uint64_t number) const;
    void drawRows(std::byte* payload, const FrameRect& rows, std::uint64_t number) const;

    const VideoFormat format_;
    std::uint32_t bandRows_ = 0, bands_ = 0;
};

}  // namespace verbcast
