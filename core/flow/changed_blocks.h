// Which bytes of a frame travel into a slot that holds an earlier one.
#pragma once

#include <array>
#include <span>

#include "core/transport/frame_path.h"
#include "core/video/picture_changes.h"

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

}  // namespace verbcast
