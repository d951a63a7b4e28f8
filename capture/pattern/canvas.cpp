#include "capture/pattern/canvas.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "capture/pattern/row_encoder.h"

namespace verbcast {
namespace {

/// Bytes from the start of a row to pixel x, a multiple of kCanvasStepX.
std::size_t byteOffset(const PlaneLayout& plane, std::uint32_t x) {
    return std::size_t{x >> plane.horizontalShift} / plane.pixelsPerGroup * plane.bytesPerGroup;
}

/// Bytes of the groups in a plane's row, without the format's padding.
std::size_t groupBytes(const VideoFormat& format, std::size_t plane) {
    const PlaneLayout& layout = pixelFormatInfo(format.pixelFormat).planes[plane];
    const std::size_t groups =
        (planeWidth(format, plane) + layout.pixelsPerGroup - 1U) / layout.pixelsPerGroup;
    return groups * layout.bytesPerGroup;
}

void copyRows(const std::byte* from, std::size_t fromStride, std::byte* to, std::size_t toStride,
              std::size_t bytes, std::uint32_t rows) {
    for (; rows > 0; --rows, from += fromStride, to += toStride) {
        std::memcpy(to, from, bytes);
    }
}

}  // namespace

Colour canvasColour(PixelFormat pixelFormat) {
    const PixelFormatInfo& info = pixelFormatInfo(pixelFormat);
    if (info.rgb) {
        return {.primaries = 1, .transfer = 13, .matrix = 0, .fullRange = true, .chromaLocation = 0};
    }
    const bool subsampled = info.chromaShiftX + info.chromaShiftY > 0;
    return {.primaries = 1,
            .transfer = 1,
            .matrix = 1,
            .fullRange = pixelFormat == PixelFormat::gray,
            .chromaLocation = static_cast<std::uint8_t>(subsampled ? 1 : 0)};
}

Canvas::Canvas(PixelFormat pixelFormat, std::uint32_t width, std::uint32_t height, const RowPainter& paint) {
    layout_.width = width;
    layout_.height = height;
    layout_.pixelFormat = pixelFormat;
    layOutPlanes(layout_, 64, 64);
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(layout_.payloadBytes);

    RowEncoder encoder(layout_, canvasColour(pixelFormat));
    std::vector<float> samples(std::size_t{width} * 3);
    const std::span<float> all(samples);
    const RgbRow row{all.first(width), all.subspan(width, width), all.last(width)};
    for (std::uint32_t y = 0; y < height; ++y) {
        paint(y, row);
        encoder.encode(y, row, bytes_.get());
    }
}

const std::byte* Canvas::at(std::size_t plane, std::uint32_t x, std::uint32_t y) const {
    const PlaneLayout& layout = pixelFormatInfo(layout_.pixelFormat).planes[plane];
    return bytes_.get() + layout_.planes[plane].offset +
           std::uint64_t{y >> layout.verticalShift} * layout_.planes[plane].stride + byteOffset(layout, x);
}

void Canvas::copyFrame(std::uint32_t x, std::uint32_t y, const VideoFormat& frame, std::byte* payload) const {
    for (std::size_t plane = 0; plane < pixelFormatInfo(frame.pixelFormat).planeCount; ++plane) {
        copyRows(at(plane, x, y), layout_.planes[plane].stride, payload + frame.planes[plane].offset,
                 frame.planes[plane].stride, tightRowBytes(frame, plane), planeRows(frame, plane));
    }
}

void Canvas::blit(const VideoFormat& frame, std::byte* payload, std::uint32_t x, std::uint32_t y) const {
    for (std::size_t plane = 0; plane < pixelFormatInfo(frame.pixelFormat).planeCount; ++plane) {
        const PlaneLayout& layout = pixelFormatInfo(frame.pixelFormat).planes[plane];
        const std::size_t start = byteOffset(layout, x);
        const std::size_t room = groupBytes(frame, plane);
        const std::uint32_t firstRow = y >> layout.verticalShift;
        const std::uint32_t roomRows = planeRows(frame, plane);
        if (start >= room || firstRow >= roomRows) {
            continue;
        }
        const std::size_t bytes = std::min(groupBytes(layout_, plane), room - start);
        const std::uint32_t rows = std::min(planeRows(layout_, plane), roomRows - firstRow);
        const std::uint32_t stride = frame.planes[plane].stride;
        copyRows(at(plane, 0, 0), layout_.planes[plane].stride,
                 payload + frame.planes[plane].offset + std::uint64_t{firstRow} * stride + start, stride,
                 bytes, rows);
    }
}

}  // namespace verbcast
