#include "core/video/video_format.h"
#include "core/base/align.h"

#include <fmt/format.h>

namespace verbcast {
namespace {

std::uint32_t ceilShift(std::uint32_t value, unsigned shift) {
    return (value + (1U << shift) - 1) >> shift;
}

std::string rateText(Rational rate) {
    if (rate.numerator <= 0) {
        return "unknown rate";
    }
    if (rate.denominator == 1) {
        return fmt::format("{} fps", rate.numerator);
    }
    return fmt::format("{:.3f} fps", rate.value());
}

std::string matrixText(std::uint8_t matrix) {
    switch (matrix) {
        case 0:
            return "RGB";
        case 1:
            return "BT.709";
        case 2:
            return "matrix unspecified";
        case 5:
        case 6:
            return "BT.601";
        case 9:
            return "BT.2020";
        default:
            return fmt::format("matrix {}", matrix);
    }
}

std::optional<std::string> sizeProblem(std::uint32_t width, std::uint32_t height) {
    const auto fits = [](std::uint32_t size) { return size >= kMinDimension && size <= kMaxDimension; };
    return fits(width) && fits(height)
               ? std::nullopt
               : std::optional(
                     fmt::format("size {}x{} is out of range: 16x16 to 16384x16384 expected", width, height));
}

}  // namespace

std::uint32_t planeWidth(const VideoFormat& format, std::size_t plane) {
    return ceilShift(format.width, pixelFormatInfo(format.pixelFormat).planes[plane].horizontalShift);
}

std::uint32_t planeRows(const VideoFormat& format, std::size_t plane) {
    return ceilShift(format.height, pixelFormatInfo(format.pixelFormat).planes[plane].verticalShift);
}

std::uint32_t tightRowBytes(const VideoFormat& format, std::size_t plane) {
    const auto& info = pixelFormatInfo(format.pixelFormat);
    const auto& layout = info.planes[plane];
    const std::uint32_t groups =
        (planeWidth(format, plane) + layout.pixelsPerGroup - 1) / layout.pixelsPerGroup;
    return static_cast<std::uint32_t>(
        roundUp(std::uint64_t{groups} * layout.bytesPerGroup, info.rowAlignment));
}

std::uint64_t tightBytes(const VideoFormat& format) {
    std::uint64_t bytes = 0;
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        bytes += std::uint64_t{tightRowBytes(format, plane)} * planeRows(format, plane);
    }
    return bytes;
}

VideoFormat tightFormat(std::uint32_t width, std::uint32_t height, PixelFormat pixelFormat) {
    if (const auto problem = sizeProblem(width, height)) {
        throw Error(ErrorKind::Usage, *problem);
    }
    VideoFormat format;
    format.width = width;
    format.height = height;
    format.pixelFormat = pixelFormat;
    if (pixelFormatInfo(pixelFormat).rgb) {
        format.colour.matrix = 0;
        format.colour.fullRange = true;
    }
    layOutPlanes(format, 1, 1);
    return format;
}

void layOutPlanes(VideoFormat& format, std::uint32_t strideAlignment, std::uint32_t planeAlignment) {
    std::uint64_t offset = 0;
    format.planes = {};
    format.depth = {};
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        const std::uint32_t row = tightRowBytes(format, plane);
        const std::uint32_t rows = planeRows(format, plane);
        offset = roundUp(offset, planeAlignment);
        format.planes[plane].offset = offset;
        format.planes[plane].stride = static_cast<std::uint32_t>(roundUp(row, strideAlignment));
        format.payloadBytes = offset + std::uint64_t{format.planes[plane].stride} * (rows - 1) + row;
        offset += std::uint64_t{format.planes[plane].stride} * rows;
    }
}

void addDepth(VideoFormat& format) {
    format.depth = {roundUp(format.payloadBytes, sizeof(float)),
                    format.width * static_cast<std::uint32_t>(sizeof(float))};
    format.payloadBytes = format.depth.offset + std::uint64_t{format.depth.stride} * format.height;
}

std::optional<std::string> formatProblem(const VideoFormat& format) {
    if (auto problem = sizeProblem(format.width, format.height)) {
        return problem;
    }
    // At most four times the tight size plus 1 MiB: padding may be generous, not absurd.
    const std::uint64_t depthRow = std::uint64_t{format.width} * sizeof(float);
    const std::uint64_t tight = tightBytes(format) + (format.hasDepth() ? depthRow * format.height : 0);
    const std::uint64_t limit = tight * 4 + (1U << 20);
    if (format.payloadBytes == 0 || format.payloadBytes > limit) {
        return fmt::format("a payload of {} bytes does not suit {}x{} {}", format.payloadBytes, format.width,
                           format.height, pixelFormatName(format.pixelFormat));
    }
    const auto leavesPayload = [&format](const Plane& plane, std::uint64_t row, std::uint64_t rows) {
        return plane.stride < row || plane.offset > format.payloadBytes ||
               std::uint64_t{plane.stride} * (rows - 1) + row > format.payloadBytes - plane.offset;
    };
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        const Plane& p = format.planes[plane];
        if (leavesPayload(p, tightRowBytes(format, plane), planeRows(format, plane))) {
            return fmt::format("plane {} (offset {}, stride {}) leaves the payload of {} bytes", plane,
                               p.offset, p.stride, format.payloadBytes);
        }
    }
    if (format.hasDepth() &&
        (leavesPayload(format.depth, depthRow, format.height) || format.depth.offset % sizeof(float) != 0 ||
         format.depth.stride % sizeof(float) != 0)) {
        return fmt::format(
            "the depths (offset {}, stride {}) leave the payload of {} bytes, or are not aligned",
            format.depth.offset, format.depth.stride, format.payloadBytes);
    }
    if (format.rotation % 90 != 0 || format.rotation >= 360) {
        return fmt::format("a rotation of {} degrees is not a quarter turn", format.rotation);
    }
    for (const Rational& r : {format.frameRate, format.timeBase, format.pixelAspect}) {
        if (r.numerator < 0 || r.denominator <= 0) {
            return fmt::format("the ratio {}/{} is not positive", r.numerator, r.denominator);
        }
    }
    if (format.colour.chromaLocation > kMaxChromaLocation) {
        return fmt::format("chroma location {} does not exist", format.colour.chromaLocation);
    }
    if (format.fieldOrder > FieldOrder::BottomFirst) {
        return fmt::format("field order {} does not exist", static_cast<int>(format.fieldOrder));
    }
    if (format.alpha > AlphaKind::Ignored) {
        return fmt::format("kind of alpha {} does not exist", static_cast<int>(format.alpha));
    }
    return std::nullopt;
}

std::string describeColour(const VideoFormat& format) {
    const char* const transfer = format.colour.transfer == 16   ? " PQ"
                                 : format.colour.transfer == 18 ? " HLG"
                                                                : "";
    return fmt::format("{}{} {}", matrixText(format.colour.matrix), transfer,
                       format.colour.fullRange ? "full" : "limited");
}

std::string describe(const VideoFormat& format) {
    return fmt::format("{}x{} {}{} {} {}", format.width, format.height, pixelFormatName(format.pixelFormat),
                       format.hasDepth() ? " with depth" : "", rateText(format.frameRate),
                       describeColour(format));
}

void VideoFormat::check() const {
    const auto number = static_cast<std::uint8_t>(pixelFormat);
    if (!pixelFormatFromWire(number)) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sends pixel format number {}, which is unknown here", number),
                    "use the same version of verbcast on both sides");
    }
    if (const auto problem = formatProblem(*this)) {
        throw Error(ErrorKind::Peer, "the peer announced an impossible format: " + *problem);
    }
}

}  // namespace verbcast
