// Decodes the pictures of cameras that compress them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "capture/camera/camera_format.h"
#include "capture/frame_source.h"
#include "capture/media/decode/picture_decoder.h"
#include "capture/media/decode/picture_delivery.h"
#include "capture/media/decode/slot_allocator.h"

namespace verbcast {

/// Takes a packet and returns its picture, decoded into a slot (see SlotAllocator). Used by one thread.
class CameraDecoder {
  public:
    /// Uses the codec and size of `mode`. `rate` may be nullopt; the time base is a microsecond. The
    /// allocator must outlive this object. Throws Error{Device} if the mode is not compressed, Error{Input}
    /// if FFmpeg has no decoder for it.
    CameraDecoder(const CameraPicture& mode, const std::optional<Rational>& rate, int threads,
                  SlotAllocator& allocator);

    /// Ok: lease, format and flags of `frame` are filled. Cancelled. Busy: the packet yields no picture; one
    /// that is broken, or differs from earlier ones in size or pixel format, counts as lost. Waits for a slot
    /// if need be. Throws Error{Input} if the pictures cannot be sent at all, Error{Resource}.
    Status decode(std::span<const std::byte> compressed, const Event& cancel, CapturedFrame& frame,
                  SourceCounters& counters);

    /// Call after skipping packets: drops the references that later packets would build on.
    void restart() { avcodec_flush_buffers(context_.get()); }

    /// Set if pictures are not sent as decoded: says how they are converted.
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
