#include "capture/convert/picture_packer.h"

#include <cstdint>
#include <cstring>

namespace verbcast {
namespace {

bool liesPacked(const VideoFormat& format) {
    std::uint64_t next = format.planes[0].offset;
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        const std::uint32_t row = tightRowBytes(format, plane);
        const Plane& place = format.planes[plane];
        if (place.offset != next || (place.stride != row && planeRows(format, plane) > 1)) {
            return false;
        }
        next += std::uint64_t{row} * planeRows(format, plane);
    }
    return true;
}

const std::byte* rowOf(const VideoFormat& format, const std::byte* payload, std::size_t plane,
                       std::uint32_t y) {
    return payload + format.planes[plane].offset + std::uint64_t{format.planes[plane].stride} * y;
}

/// Writes a sample of ten bits from each of a row's little-endian words, which may start at any byte, and
/// returns where the next row goes.
template <typename Word>
std::byte* writeSamples(std::byte* to, const std::byte* from, std::uint32_t width, std::size_t step,
                        unsigned shift) {
    constexpr std::uint32_t kTenBits = 0x3FF;
    for (std::uint32_t x = 0; x < width; ++x, from += step, to += sizeof(std::uint16_t)) {
        Word word;
        std::memcpy(&word, from, sizeof word);
        const auto sample = static_cast<std::uint16_t>(word >> shift & kTenBits);
        std::memcpy(to, &sample, sizeof sample);
    }
    return to;
}

/// As yuv420p10le: the luma, then each component of the chroma.
void packP010(const VideoFormat& format, const std::byte* payload, std::byte* to) {
    constexpr unsigned kUnusedBits = 6;
    constexpr std::size_t kSample = sizeof(std::uint16_t);
    for (const std::size_t component : {0, 1, 2}) {
        const std::size_t plane = component > 0 ? 1 : 0;
        const std::size_t first = component > 1 ? kSample : 0;
        for (std::uint32_t y = 0; y < planeRows(format, plane); ++y) {
            to = writeSamples<std::uint16_t>(to, rowOf(format, payload, plane, y) + first,
                                             planeWidth(format, plane), plane > 0 ? 2 * kSample : kSample,
                                             kUnusedBits);
        }
    }
}

/// As gbrp10le.
void packX2rgb10(const VideoFormat& format, const std::byte* payload, std::byte* to) {
    for (const unsigned shiftOfGreenBlueRed : {10, 0, 20}) {
        for (std::uint32_t y = 0; y < format.height; ++y) {
            to = writeSamples<std::uint32_t>(to, rowOf(format, payload, 0, y), format.width,
                                             sizeof(std::uint32_t), shiftOfGreenBlueRed);
        }
    }
}

}  // namespace

std::span<const std::byte> PicturePacker::pack(const VideoFormat& format, const std::byte* payload) {
    const std::uint64_t bytes = tightBytes(format);
    if (liesPacked(format)) {
        return {payload + format.planes[0].offset, bytes};
    }
    buffer_.resize(bytes);
    std::byte* to = buffer_.data();
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        const std::uint32_t row = tightRowBytes(format, plane);
        for (std::uint32_t y = 0; y < planeRows(format, plane); ++y, to += row) {
            std::memcpy(to, rowOf(format, payload, plane, y), row);
        }
    }
    return buffer_;
}

std::span<const std::byte> PicturePacker::packStored(const VideoFormat& format, const std::byte* payload) {
    switch (format.pixelFormat) {
        case PixelFormat::p010le:
            buffer_.resize(tightBytes(format));
            packP010(format, payload, buffer_.data());
            return buffer_;
        case PixelFormat::x2rgb10le:
            buffer_.resize(std::uint64_t{3} * sizeof(std::uint16_t) * format.width * format.height);
            packX2rgb10(format, payload, buffer_.data());
            return buffer_;
        default:
            return pack(format, payload);
    }
}

}  // namespace verbcast
