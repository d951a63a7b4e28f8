// Delivers decoded pictures in slots: shares the slot if the decoder wrote into one, else copies or converts.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "capture/convert/picture_converter.h"
#include "capture/frame_source.h"
#include "capture/media/decode/gpu_pictures.h"
#include "capture/media/decode/slot_allocator.h"

namespace verbcast {

/// The container's description of every picture.
struct StreamTraits {
    Rational frameRate;
    Rational timeBase;
    Rational pixelAspect;
    std::uint16_t rotation = 0;
    FieldOrder fieldOrder = FieldOrder::Progressive;
    HdrMetadata hdr{};
};

/// Used by one thread.
class PictureDelivery {
  public:
    /// Throws Error{Usage} if the options ask for a size out of range.
    PictureDelivery(const SourceOptions& options, SlotAllocator& allocator);

    /// With options.memory: whether deliver() takes this surface as it is. Otherwise bring it to main
    /// memory first; the note says why. Throws Error{Device, Input}.
    bool takesSurface(const AVFrame& surface);

    /// Fills lease and format of `frame`. Ok or Cancelled. Counts copies. Throws Error{Input} for pictures
    /// that cannot be sent, Error{Resource}; Error{Device} if a GPU fails.
    Status deliver(const AVFrame& picture, const StreamTraits& traits, const Event& cancel,
                   CapturedFrame& frame, SourceCounters& counters);

    /// Converts pictures of other formats to this one from now on, unless the options name one.
    void keepFormat(PixelFormat format) { keptFormat_ = format; }

    /// How the current kind of picture is converted, if it is.
    const std::optional<std::string>& note() const { return note_; }
    /// Why surfaces are brought to main memory in spite of options.memory; "" if they are not.
    const std::string& broughtBecause() const { return broughtBecause_; }

  private:
    struct Plan {
        PixelFormat pixelFormat;
        std::uint32_t width, height;
        bool isSizeOf(const AVFrame& picture) const {
            return static_cast<int>(width) == picture.width && static_cast<int>(height) == picture.height;
        }
    };
    Plan planFor(const AVFrame& picture);
    VideoFormat formatFor(const Plan& plan, const AVFrame& picture, const StreamTraits& traits) const;
    std::string whyNotOnGpu(const AVFrame& surface);
    std::optional<Status> shareSlot(const AVFrame& picture, const VideoFormat& format, CapturedFrame& frame);

    SourceOptions options_;
    SlotAllocator& allocator_;
    PictureConverter converter_;
    std::unique_ptr<GpuPictures> gpu_;  // null: all pictures are in main memory
    std::optional<PixelFormat> keptFormat_;
    int knownFormat_ = -1;
    PixelFormat knownTarget_ = PixelFormat::rgba;
    std::optional<std::string> note_;
    std::string broughtBecause_;  // of the last surface that takesSurface() refused
};

}  // namespace verbcast
