// Graphics hardware that FFmpeg decodes on: finds devices, and FFmpeg's decoders for them.
#pragma once

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/decoders.h"

namespace verbcast {

/// A decoder, or the reason why there is none.
struct HardwareCodec {
    const AVCodec* codec = nullptr;
    AVPixelFormat surface = AV_PIX_FMT_NONE;  ///< format of its pictures
    std::string reason;
};
/// FFmpeg's native decoder for the codec on such devices, if it was built with one.
HardwareCodec hardwareCodec(AVCodecID codec, Decoder decoder);

/// A device, or the reason why there is none.
struct HardwareDevice {
    BufferPtr context;
    std::string reason;
};
/// What the memory of a device's pictures is used by.
enum class PicturesFor {
    MainMemory,  ///< transfers to main memory only
    GpuCopies,   ///< Cuda: GpuCopy also, since the decoder works in the GPU's primary context
};
/// Opens the first device of that kind; for Cuda chosenGpu(). Takes up to a second if there is a driver.
HardwareDevice openHardwareDevice(Decoder decoder, PicturesFor use = PicturesFor::MainMemory);

/// The kinds that `wish` allows, best first; empty for Software.
std::vector<Decoder> hardwareToTry(Decoder wish);

/// What to do if the named decoder is missing.
std::string remedyFor(Decoder decoder);

}  // namespace verbcast
