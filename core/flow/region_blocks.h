// Which bytes of a picture travel: those that have changed, or those of a part, into a slot that holds only
// it.
#pragma once

#include <array>
#include <span>

#include "core/transport/frame_path.h"
#include "core/video/picture_changes.h"
#include "core/video/picture_region.h"

namespace verbcast {

/// A picture's changed parts as blocks of its planes.
class ChangedBlocks {
  public:
    ChangedBlocks(const VideoFormat& format, const PictureChanges& changes);

    /// For OutgoingFrame::blocks. Empty: send the whole frame, because all has changed or parts would save
    /// too little.
    std::span<const ByteBlock> blocks() const { return {blocks_.data(), count_}; }

  private:
    std::array<ByteBlock, kMaxByteBlocks> blocks_;
    std::size_t count_ = 0;
};

/// Where a region lands, if not in a slot of its own.
struct RegionPlace {
    VideoFormat picture;  ///< of what the slot holds
    PicturePoint corner;  ///< of the region in it
};

/// A region of a picture, or what has changed in it, as blocks of planes: where they lie in the picture, and
/// where they land in the slot.
class RegionBlocks {
  public:
    /// `part`: regionFormat() of picture and region. `changes`: changesWithin() since the frame that the slot
    /// holds. `place`: may be null.
    RegionBlocks(const VideoFormat& picture, const FrameRect& region, const VideoFormat& part,
                 const PictureChanges& changes, const RegionPlace* place = nullptr);

    /// For OutgoingFrame. Never empty, because no frame is.
    std::span<const ByteBlock> into() const { return {into_.data(), count_}; }
    std::span<const ByteBlock> from() const { return {from_.data(), count_}; }

  private:
    void add(const FrameRect& rect);
    /// Bytes of a plane: `lies` in the picture, and `lands` in what the slot holds.
    struct Run {
        std::uint64_t groupBytes, rowBytes;
        PlaneRegion lies, lands;
    };
    void addBlock(const Plane& inPicture, const Plane& inSlot, const Run& run);
    FrameRect inPicture(const FrameRect& rect) const;
    FrameRect inSlot(const FrameRect& rect) const;

    const VideoFormat& picture_;
    const FrameRect& region_;
    const VideoFormat& part_;
    const VideoFormat& slot_;
    const PicturePoint corner_;
    std::array<ByteBlock, kMaxByteBlocks> into_;
    std::array<ByteBlock, kMaxByteBlocks> from_;
    std::size_t count_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace verbcast
