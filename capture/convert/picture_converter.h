// Converts decoded pictures to a listed pixel format and size: swscale, and packers for what swscale lacks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Keeps its tables for the next picture of the same kind. One thread at a time; it uses `threads` of its own
/// inside.
class PictureConverter {
  public:
    explicit PictureConverter(int threads);

    /// Writes `source` to `payload` as `target` lays it out, scaling when the sizes differ. target.colour
    /// names the matrix and the range to make. Scaling is bicubic with accurate rounding and full chroma.
    /// `payload` has kOverrunBytes beyond target.payloadBytes: swscale writes in whole vectors.
    /// Throws Error{Input} when swscale cannot read the source's format.
    void convert(const AVFrame& source, const VideoFormat& target, std::byte* payload);

    static constexpr std::size_t kOverrunBytes = 256;

  private:
    /// Everything a scaler depends on.
    struct Recipe {
        int sourceFormat, sourceWidth, sourceHeight, sourceMatrix;
        int targetFormat, targetWidth, targetHeight, targetMatrix;
        bool sourceFull, targetFull;
        friend bool operator==(const Recipe&, const Recipe&) = default;
    };
    void scale(const AVFrame& source, const VideoFormat& target, AVFrame& destination);
    void prepare(const Recipe& recipe);
    const AVFrame& asPlanar(const AVFrame& source, const VideoFormat& target, AVPixelFormat planar);
    void toV210(const AVFrame& source, const VideoFormat& target, std::byte* payload);
    void toX2rgb10(const AVFrame& source, const VideoFormat& target, std::byte* payload);
    const std::vector<std::uint16_t>& tenBits(int depth);

    int threads_;
    SwsPtr scaler_;
    std::optional<Recipe> recipe_;
    FramePtr intermediate_;
    std::array<std::vector<std::uint16_t>, 17> tenBits_;  // by depth: the value at ten bits of each value
    std::vector<std::uint16_t> rows_;
};

/// A frame of FFmpeg's that borrows the payload; valid while the payload is. Not for v210.
FramePtr borrowPayload(const VideoFormat& format, std::byte* payload);

}  // namespace verbcast
