// What the bytes of a frame mean: size, planes, rate and colour. The only description of pixels anywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/wire.h"
#include "core/video/pixel_format.h"

namespace verbcast {

inline constexpr std::uint32_t kMinDimension = 16;
inline constexpr std::uint32_t kMaxDimension = 16384;

/// Of Colour::chromaLocation.
inline constexpr std::uint8_t kMaxChromaLocation = 6;

struct Rational {
    std::int32_t numerator = 0;
    std::int32_t denominator = 1;
    static void fields(auto& self, auto& visit) { visit(self.numerator, self.denominator); }
    double value() const { return denominator == 0 ? 0.0 : static_cast<double>(numerator) / denominator; }
    friend bool operator==(const Rational&, const Rational&) = default;
};

/// Where a plane lies in a frame's payload: byte offset from the payload's start, and bytes from row to row.
struct Plane {
    std::uint64_t offset = 0;
    std::uint32_t stride = 0;
    friend bool operator==(const Plane&, const Plane&) = default;
};

/// Code points of ITU-T H.273 (ISO/IEC 23091-2), the same numbers as in FFmpeg's AVCOL_* enumerations. 2
/// means "unspecified" for the first three.
struct Colour {
    std::uint8_t primaries = 2;  ///< 1 BT.709, 5/6 BT.601, 9 BT.2020
    std::uint8_t transfer = 2;   ///< 1 BT.709, 13 sRGB, 16 PQ (SMPTE ST 2084), 18 HLG (ARIB STD-B67)
    std::uint8_t matrix = 2;     ///< 0 RGB, 1 BT.709, 5/6 BT.601, 9 BT.2020 non-constant luminance
    bool fullRange = false;
    std::uint8_t chromaLocation =
        0;  ///< 0 unspecified, 1 left, 2 centre, 3 top-left (FFmpeg's AVCHROMA_LOC_*)
    friend bool operator==(const Colour&, const Colour&) = default;
};

/// Which rows of an interlaced frame were taken first: even ones (the top field) or odd ones.
enum class FieldOrder : std::uint8_t { Progressive = 0, TopFirst = 1, BottomFirst = 2 };

/// What the fourth component of formats that have one means.
enum class AlphaKind : std::uint8_t { Unknown = 0, Straight = 1, Premultiplied = 2, Ignored = 3 };

/// Static metadata of HDR: the mastering display (SMPTE ST 2086) and the light of the content (CTA-861.3).
/// All zero: there is none.
struct HdrMetadata {
    struct Chromaticity {
        std::uint16_t x = 0, y = 0;  ///< in 1/50000
        static void fields(auto& self, auto& visit) { visit(self.x, self.y); }
        friend bool operator==(const Chromaticity&, const Chromaticity&) = default;
    };
    Chromaticity red, green, blue, white;
    std::uint32_t maxLuminance = 0, minLuminance = 0;             ///< in 1/10000 cd/m2
    std::uint16_t maxContentLight = 0, maxFrameAverageLight = 0;  ///< cd/m2
    static void fields(auto& self, auto& visit) {
        visit(self.red, self.green, self.blue, self.white);
        visit(self.maxLuminance, self.minLuminance, self.maxContentLight, self.maxFrameAverageLight);
    }
    friend bool operator==(const HdrMetadata&, const HdrMetadata&) = default;
};

struct VideoFormat {
    std::uint32_t width = 0;   ///< pixels, 16 to 16384
    std::uint32_t height = 0;  ///< pixels, 16 to 16384
    PixelFormat pixelFormat = PixelFormat::rgba;
    std::array<Plane, kMaxPlanes> planes{};  ///< as many as the pixel format has
    /// A 32-bit float per pixel, 0 (nearest) to 1, after the planes; a stride of 0: there is none.
    Plane depth{};
    std::uint64_t payloadBytes = 0;  ///< from the first byte of the payload to the end of its last row
    Rational frameRate{0, 1};        ///< frames per second; 0/1 if unknown
    Rational timeBase{1, 1000};      ///< seconds per unit of FrameInfo::pts
    Rational pixelAspect{1, 1};      ///< width : height of one pixel
    std::uint16_t rotation = 0;      ///< degrees clockwise the viewer turns the picture: 0, 90, 180 or 270
    Colour colour;
    FieldOrder fieldOrder = FieldOrder::Progressive;
    AlphaKind alpha = AlphaKind::Unknown;
    HdrMetadata hdr;

    /// The wire form (core/base/wire.h). check() throws Error{Peer} for an unknown pixel format and for any
    /// formatProblem().
    static void fields(auto& self, auto& visit) {
        visit(self.width);
        visit(self.height);
        visit(self.pixelFormat);
        for (auto& plane : self.planes) {
            visit(plane.offset);
            visit(plane.stride);
        }
        visit(self.depth.offset);
        visit(self.depth.stride);
        visit(self.payloadBytes);
        visit(self.frameRate);
        visit(self.timeBase);
        visit(self.pixelAspect);
        visit(self.rotation);
        visit(self.colour.primaries);
        visit(self.colour.transfer);
        visit(self.colour.matrix);
        visit(self.colour.fullRange);
        visit(self.colour.chromaLocation);
        visit(self.fieldOrder, self.alpha, self.hdr);
    }
    void check() const;
    bool hasDepth() const { return depth.stride != 0; }

    friend bool operator==(const VideoFormat&, const VideoFormat&) = default;
};

/// Width in pixels and number of rows of a plane (chroma planes of odd sizes round up).
std::uint32_t planeWidth(const VideoFormat& format, std::size_t plane);
std::uint32_t planeRows(const VideoFormat& format, std::size_t plane);
/// Bytes of one row of a plane without padding, as FFmpeg's rawvideo lays it out.
std::uint32_t tightRowBytes(const VideoFormat& format, std::size_t plane);
/// Bytes of the whole picture without padding or depth: the size of a frame in FFmpeg's rawvideo.
std::uint64_t tightBytes(const VideoFormat& format);

/// A format whose planes are contiguous and unpadded, with unspecified colour; RGB formats get matrix 0 and
/// full range. Throws Error{Usage} if the size is out of range.
VideoFormat tightFormat(std::uint32_t width, std::uint32_t height, PixelFormat pixelFormat);

/// Lays the planes out again with every stride rounded up to strideAlignment bytes and every plane aligned to
/// planeAlignment bytes. Both are powers of two. Drops depth.
void layOutPlanes(VideoFormat& format, std::uint32_t strideAlignment, std::uint32_t planeAlignment);
/// Appends a depth per pixel, unpadded. The format must have none.
void addDepth(VideoFormat& format);

/// Why the format cannot be used (a size out of range, a plane that leaves the payload, ...), or nothing.
/// All sums are done in 64 bits; the format may come from a hostile peer.
std::optional<std::string> formatProblem(const VideoFormat& format);

/// "3840x2160 yuv420p 60 fps BT.709 limited"
std::string describe(const VideoFormat& format);
std::string describeColour(const VideoFormat& format);

}  // namespace verbcast
