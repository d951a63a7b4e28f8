// OpenGL for drawing off-screen on a graphics card that can hand out what it draws, as dma-bufs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Buffers of one size, all zero at first or with old contents: draw into them before anybody reads them.
struct CardBuffers {
    std::vector<UniqueFd> descriptors;  ///< dma-bufs; they keep their memory, whatever becomes of the card
    std::uint32_t stride = 0;           ///< bytes from one row to the next
    std::uint32_t offset = 0;           ///< of the first row
};

/// An OpenGL 3.3 core context on the first card that has buffers to export: one that draws in hardware if
/// there is any, else one whose driver draws in software (kms_swrast). Current on the constructing thread,
/// which must also destroy it.
class DrawingCard {
  public:
    /// Throws Error{Device} that says for each card why it will not do.
    DrawingCard();
    ~DrawingCard();

    /// "/dev/dri/renderD128 (amdgpu)"
    const std::string& name() const;

    /// `count` buffers for pictures of that size and pixel format (rgba or bgra), in linear rows. Throws
    /// Error{Device} if the card's driver has no such buffers, Error{Resource} if it is out of them.
    CardBuffers makeBuffers(const VideoFormat& format, std::uint32_t count) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace verbcast
