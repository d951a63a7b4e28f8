#include "capture/convert/picture_packer.h"

#include <array>
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

/// Loads a little-endian sample or word; rows may start at any byte.
template <typename T>
T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

void store(std::byte*& to, std::uint16_t sample) {
    std::memcpy(to, &sample, sizeof sample);
    to += sizeof sample;
}

const std::byte* rowOf(const VideoFormat& format, const std::byte* payload, std::size_t plane,
                       std::uint32_t y) {
    return payload + format.planes[plane].offset + std::uint64_t{format.planes[plane].stride} * y;
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

std::span<const std::byte> PicturePacker::packP010(const VideoFormat& format, const std::byte* payload) {
    constexpr unsigned kUnusedBits = 6;
    constexpr std::size_t kSample = sizeof(std::uint16_t);
    buffer_.resize(tightBytes(format));
    std::byte* to = buffer_.data();
    for (std::uint32_t y = 0; y < planeRows(format, 0); ++y) {
        const std::byte* from = rowOf(format, payload, 0, y);
        for (std::uint32_t x = 0; x < planeWidth(format, 0); ++x, from += kSample) {
            store(to, static_cast<std::uint16_t>(load<std::uint16_t>(from) >> kUnusedBits));
        }
    }
    for (std::size_t component = 0; component < 2; ++component) {
        for (std::uint32_t y = 0; y < planeRows(format, 1); ++y) {
            const std::byte* from = rowOf(format, payload, 1, y) + component * kSample;
            for (std::uint32_t x = 0; x < planeWidth(format, 1); ++x, from += 2 * kSample) {
                store(to, static_cast<std::uint16_t>(load<std::uint16_t>(from) >> kUnusedBits));
            }
        }
    }
    return buffer_;
}

std::span<const std::byte> PicturePacker::packX2rgb10(const VideoFormat& format, const std::byte* payload) {
    constexpr std::array<unsigned, 3> kShiftOfGreenBlueRed{10, 0, 20};
    constexpr std::uint32_t kTenBits = 0x3FF;
    buffer_.resize(std::uint64_t{3} * sizeof(std::uint16_t) * format.width * format.height);
    std::byte* to = buffer_.data();
    for (const unsigned shift : kShiftOfGreenBlueRed) {
        for (std::uint32_t y = 0; y < format.height; ++y) {
            const std::byte* from = rowOf(format, payload, 0, y);
            for (std::uint32_t x = 0; x < format.width; ++x, from += sizeof(std::uint32_t)) {
                store(to, static_cast<std::uint16_t>(load<std::uint32_t>(from) >> shift & kTenBits));
            }
        }
    }
    return buffer_;
}

std::span<const std::byte> PicturePacker::packStored(const VideoFormat& format, const std::byte* payload) {
    switch (format.pixelFormat) {
        case PixelFormat::p010le:
            return packP010(format, payload);
        case PixelFormat::x2rgb10le:
            return packX2rgb10(format, payload);
        default:
            return pack(format, payload);
    }
}

}  // namespace verbcast
