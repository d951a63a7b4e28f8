// Decodes what a camera compresses.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "capture/camera/camera_format.h"
#include "capture/frame_source.h"
#include "capture/media/picture_decoder.h"
#include "capture/media/picture_delivery.h"
#include "capture/media/slot_allocator.h"

namespace verbcast {

/// A packet in, its picture out, decoded straight into a slot (see SlotAllocator). Used by one thread.
class CameraDecoder {
  public:
    /// Of `mode` codec and size count. `rate` may be nothing; the time base is a microsecond. The allocator
    /// outlives this object. Throws Error{Device} when the mode is not compressed, Error{Input} when FFmpeg
    /// has no decoder for it.
    CameraDecoder(const CameraPicture& mode, const std::optional<Rational>& rate, int threads,
                  SlotAllocator& allocator);

    /// Ok: lease, format and flags of `frame` are filled. Cancelled. Busy: the packet gives no picture; one
    /// that is broken, or of another size or pixel format than those before, is counted as lost. Waits
    /// for a slot if need be. Throws Error{Input} for pictures that cannot be sent at all, Error{Resource}.
    Status decode(std::span<const std::byte> compressed, const Event& cancel, CapturedFrame& frame,
                  SourceCounters& counters);

    /// Packets were left out: forgets what the next ones would build on.
    void restart();

    /// What happens to the pictures when they are not sent as they are decoded.
    const std::optional<std::string>& note() const { return delivery_.note(); }

  private:
    bool isOfThisStream(const AVFrame& picture);

    SlotAllocator& allocator_;
    CameraPicture mode_;
    CodecContextPtr context_;
    PacketPtr packet_;
    FramePtr picture_;
    PictureDelivery delivery_;
    StreamTraits traits_;
    int pixelFormat_ = -1;  // AVPixelFormat of the pictures; with it mode_ has their exact size
};

}  // namespace verbcast
