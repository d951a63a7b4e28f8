// Decodes MPEG-2 pictures from the data that a VA driver receives.
#pragma once

#include <va/va.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

struct AVCodecContext;
struct AVFrame;
struct AVPacket;

namespace verbcast::testing {

/// One picture: its parameters as FFmpeg's hwaccel passes them, and its slices with their start codes.
struct Mpeg2Picture {
    std::optional<VAPictureParameterBufferMPEG2> parameters;
    VAIQMatrixBufferMPEG2 matrices{};
    std::vector<std::uint8_t> slices;
};

/// Rebuilds the stream from the parameters and lets libavcodec decode it on the CPU, so that the pixels are
/// identical to software decoding. Frame pictures, 4:2:0. The references are the preceding pictures, as in
/// any stream.
class Mpeg2Decoder {
  public:
    Mpeg2Decoder();
    ~Mpeg2Decoder();
    Mpeg2Decoder(const Mpeg2Decoder&) = delete;
    Mpeg2Decoder& operator=(const Mpeg2Decoder&) = delete;

    /// Decodes into an NV12 surface of that pitch and that many rows. False: cannot be decoded.
    bool decode(const Mpeg2Picture& picture, std::span<std::uint8_t> surface, int pitch, int rows);

  private:
    struct Free {
        void operator()(AVCodecContext* context) const;
        void operator()(AVFrame* frame) const;
        void operator()(AVPacket* packet) const;
    };
    std::unique_ptr<AVCodecContext, Free> context_;
    std::unique_ptr<AVFrame, Free> frame_;
    std::unique_ptr<AVPacket, Free> packet_;
};

}  // namespace verbcast::testing
