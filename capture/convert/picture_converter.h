// Converts decoded pictures to one of our pixel formats and sizes: swscale, and packers for what it lacks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Reuses its tables while the kind of picture stays the same. Used by one thread at a time; runs `threads`
/// of its own inside.
class PictureConverter {
  public:
    explicit PictureConverter(int threads);

    /// Writes `source` to `payload` in the layout of `target`, scaling if the sizes differ. target.colour
    /// gives the resulting matrix and range. Scaling is bicubic with accurate rounding and full chroma.
    /// `payload` has kOverrunBytes of room beyond target.payloadBytes, because swscale writes whole vectors.
    /// Throws Error{Input} if swscale cannot read the source's format.
    void convert(const AVFrame& source, const VideoFormat& target, std::byte* payload);

    /// The same into a picture of FFmpeg's, of any format and with buffers of its own.
    void convert(const AVFrame& source, const Colour& colour, AVFrame& destination);

    static constexpr std::size_t kOverrunBytes = 256;

  private:
    /// Everything a scaler depends on.
    struct Recipe {
        int sourceFormat, sourceWidth, sourceHeight, sourceMatrix;
        int targetFormat, targetWidth, targetHeight, targetMatrix;
        bool sourceFull, targetFull;
        friend bool operator==(const Recipe&, const Recipe&) = default;
    };
    void prepare(const Recipe& recipe);
    const AVFrame& asPlanar(const AVFrame& source, const VideoFormat& target, AVPixelFormat planar);
    void toV210(const AVFrame& source, const VideoFormat& target, std::byte* payload);
    void toX2rgb10(const AVFrame& source, const VideoFormat& target, std::byte* payload);
    const std::vector<std::uint16_t>& tenBits(int depth);

    int threads_;
    SwsPtr scaler_;
    std::optional<Recipe> recipe_;
    FramePtr intermediate_;
    std::array<std::vector<std::uint16_t>, 17> tenBits_;  // by depth: maps each value to ten bits
    std::vector<std::uint16_t> rows_;
};

/// An AVFrame that borrows the payload and is valid only while the payload is. Not for v210.
FramePtr borrowPayload(const VideoFormat& format, std::byte* payload);

}  // namespace verbcast
