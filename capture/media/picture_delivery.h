// Brings decoded pictures into slots: shares the slot where the decoder wrote into one, else copies or
// converts.
#pragma once

#include <optional>
#include <string>

#include "capture/convert/picture_converter.h"
#include "capture/frame_source.h"
#include "capture/media/slot_allocator.h"

namespace verbcast {

/// What the container says about every picture.
struct StreamTraits {
    Rational frameRate;
    Rational timeBase;
    Rational pixelAspect;
    std::uint16_t rotation = 0;
};

/// Used by one thread.
class PictureDelivery {
  public:
    /// Throws Error{Usage} when the options ask for a size that is out of range.
    PictureDelivery(const SourceOptions& options, SlotAllocator& allocator);

    /// Fills lease and format of `frame`. Ok or Cancelled. Counts copies. Throws Error{Input} for pictures
    /// that cannot be sent, Error{Resource}.
    Status deliver(const AVFrame& picture, const StreamTraits& traits, const Event& cancel,
                   CapturedFrame& frame, SourceCounters& counters);

    /// What happens to the present kind of picture, when it is not sent as it is.
    const std::optional<std::string>& note() const { return note_; }

  private:
    struct Plan {
        PixelFormat pixelFormat;
        std::uint32_t width, height;
    };
    Plan planFor(const AVFrame& picture);
    std::optional<Status> shareSlot(const AVFrame& picture, const VideoFormat& format, CapturedFrame& frame);

    SourceOptions options_;
    SlotAllocator& allocator_;
    PictureConverter converter_;
    int knownFormat_ = -1;
    PixelFormat knownTarget_ = PixelFormat::rgba;
    std::optional<std::string> note_;
};

}  // namespace verbcast
