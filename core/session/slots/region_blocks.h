// Which bytes of a picture travel into a slot that holds a part of it alone.
#pragma once

#include <array>
#include <span>

#include "core/transport/frame_path.h"
#include "core/video/picture_region.h"

namespace verbcast {

/// A region of a picture, or what has changed in it, as blocks of planes: where they lie in the picture, and
/// where in the region's own format.
class RegionBlocks {
  public:
    /// `part`: regionFormat() of the two. `changes`: changesWithin() since what the slot holds.
    RegionBlocks(const VideoFormat& picture, const FrameRect& region, const VideoFormat& part,
                 const PictureChanges& changes);

    /// For OutgoingFrame. Never empty: no frame is.
    std::span<const ByteBlock> into() const { return {into_.data(), count_}; }
    std::span<const ByteBlock> from() const { return {from_.data(), count_}; }

  private:
    void add(const FrameRect& rect);
    void addBlock(const Plane& inPicture, const Plane& inPart, std::uint64_t groupBytes,
                  std::uint64_t rowBytes, const PlaneRegion& corner, const PlaneRegion& place);

    const VideoFormat& picture_;
    const FrameRect& region_;
    const VideoFormat& part_;
    std::array<ByteBlock, kMaxByteBlocks> into_;
    std::array<ByteBlock, kMaxByteBlocks> from_;
    std::size_t count_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace verbcast
