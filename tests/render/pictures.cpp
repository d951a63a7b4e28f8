#include "tests/render/pictures.h"

#include <algorithm>
#include <cstring>

namespace verbcast::testing {
namespace {

/// xorshift32.
class Noise {
  public:
    explicit Noise(std::uint32_t seed) : state_(seed * 2654435761u | 1u) {}
    std::uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }

  private:
    std::uint32_t state_;
};

CodePicture emptyPicture(const VideoFormat& format) {
    const auto& info = pixelFormatInfo(format.pixelFormat);
    CodePicture picture;
    const std::size_t components = info.format == PixelFormat::gray ? 1 : 3;
    for (std::size_t i = 0; i < components; ++i) {
        const unsigned shiftX = i > 0 ? info.chromaShiftX : 0;
        const unsigned shiftY = i > 0 ? info.chromaShiftY : 0;
        CodePlane plane;
        plane.width = (format.width + (1u << shiftX) - 1) >> shiftX;
        plane.height = (format.height + (1u << shiftY) - 1) >> shiftY;
        plane.codes.resize(std::size_t{plane.width} * plane.height);
        picture.planes.push_back(std::move(plane));
    }
    return picture;
}

unsigned maximumCode(const VideoFormat& format) {
    return (1u << pixelFormatInfo(format.pixelFormat).bitsPerComponent) - 1;
}

/// Writes bytes of one row of one plane of the payload.
class RowWriter {
  public:
    RowWriter(const VideoFormat& format, std::vector<std::byte>& payload, std::size_t plane,
              std::uint32_t row)
        : next_(payload.data() + format.planes[plane].offset +
                std::size_t{row} * format.planes[plane].stride) {}
    void put8(unsigned value) { *next_++ = static_cast<std::byte>(value); }
    void put16(unsigned value) {
        put8(value & 255);
        put8(value >> 8);
    }
    void put32(std::uint32_t value) {
        put16(value & 65535);
        put16(value >> 16);
    }

  private:
    std::byte* next_;
};

unsigned clampedAt(const CodePlane& plane, std::uint32_t x, std::uint32_t y) {
    return plane.at(std::min(x, plane.width - 1), y);
}

void packRgbRow(PixelFormat format, const CodePicture& picture, std::uint32_t row, RowWriter writer) {
    for (std::uint32_t x = 0; x < picture.planes[0].width; ++x) {
        const unsigned r = picture.planes[0].at(x, row), g = picture.planes[1].at(x, row),
                       b = picture.planes[2].at(x, row);
        if (format == PixelFormat::x2rgb10le) {
            writer.put32((x & 3u) << 30 | r << 20 | g << 10 | b);
            continue;
        }
        writer.put8(format == PixelFormat::bgra ? b : r);
        writer.put8(g);
        writer.put8(format == PixelFormat::bgra ? r : b);
        if (format != PixelFormat::rgb24) {
            writer.put8(x & 255);  // alpha, which must be ignored
        }
    }
}

void packPlanarRow(const CodePlane& plane, unsigned bits, std::uint32_t row, RowWriter writer) {
    for (std::uint32_t x = 0; x < plane.width; ++x) {
        bits > 8 ? writer.put16(plane.at(x, row)) : writer.put8(plane.at(x, row));
    }
}

void packSemiPlanarRow(const CodePicture& picture, std::size_t plane, bool p010, std::uint32_t row,
                       RowWriter writer) {
    for (std::uint32_t x = 0; x < picture.planes[plane].width; ++x) {
        for (std::size_t component = plane; component <= plane * 2; ++component) {
            const unsigned code = picture.planes[component].at(x, row);
            p010 ? writer.put16(code << 6) : writer.put8(code);
        }
    }
}

void packPacked422Row(const CodePicture& picture, bool lumaFirst, std::uint32_t row, RowWriter writer) {
    for (std::uint32_t pair = 0; pair < picture.planes[1].width; ++pair) {
        const unsigned luma[2] = {clampedAt(picture.planes[0], 2 * pair, row),
                                  clampedAt(picture.planes[0], 2 * pair + 1, row)};
        for (std::size_t i = 0; i < 2; ++i) {
            const unsigned chroma = picture.planes[i + 1].at(pair, row);
            writer.put8(lumaFirst ? luma[i] : chroma);
            writer.put8(lumaFirst ? chroma : luma[i]);
        }
    }
}

void packV210Row(const CodePicture& picture, std::uint32_t row, RowWriter writer) {
    const auto &luma = picture.planes[0], &cb = picture.planes[1], &cr = picture.planes[2];
    for (std::uint32_t x = 0; x < luma.width; x += 6) {
        const std::uint32_t c = x / 2;
        const auto word = [&](unsigned low, unsigned middle, unsigned high) {
            writer.put32(low | middle << 10 | high << 20);
        };
        const auto y = [&](std::uint32_t i) { return clampedAt(luma, x + i, row); };
        const auto u = [&](std::uint32_t i) { return clampedAt(cb, c + i, row); };
        const auto v = [&](std::uint32_t i) { return clampedAt(cr, c + i, row); };
        word(u(0), y(0), v(0));
        word(y(1), u(1), y(2));
        word(v(1), y(3), u(2));
        word(y(4), v(2), y(5));
    }
}

}  // namespace

CodePicture noisePicture(const VideoFormat& format, std::uint32_t seed) {
    auto picture = emptyPicture(format);
    Noise noise(seed);
    for (auto& plane : picture.planes) {
        for (auto& code : plane.codes) {
            code = static_cast<std::uint16_t>((noise.next() >> 8) & maximumCode(format));
        }
    }
    return picture;
}

CodePicture rampPicture(const VideoFormat& format) {
    auto picture = emptyPicture(format);
    const unsigned one = (maximumCode(format) + 1) / 256;
    for (std::size_t i = 0; i < picture.planes.size(); ++i) {
        auto& plane = picture.planes[i];
        const unsigned stepX = format.width / plane.width, stepY = format.height / plane.height;
        for (std::uint32_t y = 0; y < plane.height; ++y) {
            for (std::uint32_t x = 0; x < plane.width; ++x) {
                const unsigned along = i == 2 ? 2 * y * stepY : 2 * x * stepX;
                plane.codes[std::size_t{y} * plane.width + x] =
                    static_cast<std::uint16_t>((96 + along) * one);
            }
        }
    }
    return picture;
}

CodePicture flatPicture(const VideoFormat& format, std::uint16_t first, std::uint16_t second,
                        std::uint16_t third) {
    auto picture = emptyPicture(format);
    const std::uint16_t codes[] = {first, second, third};
    for (std::size_t i = 0; i < picture.planes.size(); ++i) {
        std::fill(picture.planes[i].codes.begin(), picture.planes[i].codes.end(), codes[i]);
    }
    return picture;
}

std::vector<std::byte> packPicture(const VideoFormat& format, const CodePicture& picture) {
    std::vector<std::byte> payload(format.payloadBytes);
    Noise noise(7);
    for (auto& value : payload) {
        value = static_cast<std::byte>(noise.next() >> 24);
    }
    const auto& info = pixelFormatInfo(format.pixelFormat);
    for (std::size_t plane = 0; plane < info.planeCount; ++plane) {
        for (std::uint32_t row = 0; row < planeRows(format, plane); ++row) {
            const RowWriter writer(format, payload, plane, row);
            if (info.rgb) {
                packRgbRow(info.format, picture, row, writer);
            } else if (info.format == PixelFormat::v210) {
                packV210Row(picture, row, writer);
            } else if (info.format == PixelFormat::uyvy422 || info.format == PixelFormat::yuyv422) {
                packPacked422Row(picture, info.format == PixelFormat::yuyv422, row, writer);
            } else if (info.planeCount == 2) {
                packSemiPlanarRow(picture, plane, info.format == PixelFormat::p010le, row, writer);
            } else {
                packPlanarRow(picture.planes[plane], info.bitsPerComponent, row, writer);
            }
        }
    }
    return payload;
}

}  // namespace verbcast::testing
