// Options of `verbcast send`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/send/sending_options.h"
#include "capture/decoders.h"
#include "capture/frame_source.h"
#include "core/video/video_format.h"

namespace verbcast {

struct SendOptions : SendingOptions {
    std::vector<std::string> sources;  ///< at least one; a stream for each
    bool stereo = false;               ///< two sources are one stream: a picture for each eye
    std::vector<std::string> names;    ///< of the streams, as viewers see them; none, or one per stream
    std::optional<PixelFormat> pixelFormat;
    std::optional<PictureSize> size;
    bool loop = false;
    std::chrono::nanoseconds start{0};               ///< start position in a file
    std::optional<std::chrono::nanoseconds> length;  ///< how much of it to send
    int decoderThreads = 0;
    CameraMemoryChoice cameraMemory = CameraMemoryChoice::Best;
    ScreenMemoryChoice screenMemory = ScreenMemoryChoice::Best;
    std::optional<std::uint32_t> videoTrack;  ///< of files
    std::string inputFormat;                  ///< of files, as FFmpeg calls it; empty: detected
    Decoder decoder = Decoder::Auto;
};

}  // namespace verbcast
