// A decoder on graphics hardware, and the transfer of its pictures to memory.
#pragma once

#include <memory>
#include <string>

#include "capture/media/decode/hardware_device.h"
#include "capture/media/decode/slot_allocator.h"

namespace verbcast {

/// One device with one decoder. Used by one thread: FFmpeg's threads would only wait for each other.
class HardwareDecoding {
  public:
    /// Returns null if FFmpeg or this machine has none; `reason` says why.
    static std::unique_ptr<HardwareDecoding> open(Decoder decoder, PicturesFor use,
                                                  const AVCodecParameters& parameters, AVRational timeBase,
                                                  std::string& reason);

    HardwareDecoding(const HardwareDecoding&) = delete;
    HardwareDecoding& operator=(const HardwareDecoding&) = delete;

    Decoder decoder() const { return decoder_; }
    AVCodecContext& context() { return *context_; }

    /// Why the device refused the stream (codec, profile, size); "" if it has not. This shows once FFmpeg has
    /// parsed the first picture; the context then yields pictures decoded elsewhere.
    const std::string& whyDeclined() const { return declined_; }

  private:
    HardwareDecoding(Decoder decoder, const HardwareCodec& codec, const AVCodecParameters& parameters,
                     AVRational timeBase, BufferPtr device);
    static AVPixelFormat chooseFormat(AVCodecContext* context, const AVPixelFormat* offered);

    const Decoder decoder_;
    const AVPixelFormat surface_;
    std::string declined_;
    bool offered_ = false;     // was offered before: FFmpeg stops offering it once the device refuses
    CodecContextPtr context_;  // last: its callback uses all of the above
};

/// Whether the picture is in a device's memory.
inline bool isSurface(const AVFrame& picture) {
    return picture.hw_frames_ctx != nullptr;
}

/// The format of the pixels, also of a surface's.
AVPixelFormat pixelFormatOf(const AVFrame& picture);

/// Replaces a surface with a copy of its picture, in one transfer: in a slot of the allocator, or in plain
/// memory if it has none. Returns 0, or FFmpeg's error with nothing changed.
int bringToMemory(AVFrame& surface, SlotAllocator& allocator);

}  // namespace verbcast
