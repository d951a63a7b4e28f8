// Conversions of whole 1920x1080 pictures: bytes written per second, and the ratio to a memcpy of the same
// size in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/convert/picture_converter.h"
#include "capture/convert/v210.h"
#include "capture/pattern/canvas.h"
#include "capture/pattern/row_encoder.h"
#include "core/base/os/clock.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kWidth = 1920, kHeight = 1080;

std::vector<std::byte> noise(std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    std::uint32_t value = 1;
    for (std::byte& byte : data) {
        value = value * 1664525u + 1013904223u;
        byte = static_cast<std::byte>(value >> 24);
    }
    return data;
}

/// Bytes per second of the fastest of several copies between buffers of this size.
double memcpyRate(std::size_t bytes) {
    const std::vector<std::byte> from = noise(bytes);
    std::vector<std::byte> to(bytes);
    TimestampNs best = 0;
    for (int i = 0; i < 5; ++i) {
        const TimestampNs start = nowNs();
        std::memcpy(to.data(), from.data(), bytes);
        benchmark::ClobberMemory();
        const TimestampNs took = nowNs() - start;
        best = i == 0 || took < best ? took : best;
    }
    return static_cast<double>(bytes) * 1e9 / static_cast<double>(best);
}

/// The ratio compares the fastest conversion with the fastest copy: other load on the machine disturbs both,
/// but not always at the same time.
template <typename Convert>
void measure(benchmark::State& state, std::uint64_t bytes, Convert&& convert) {
    convert();  // initialises tables and touches memory
    TimestampNs best = std::numeric_limits<TimestampNs>::max();
    for (auto _ : state) {
        const TimestampNs start = nowNs();
        convert();
        benchmark::ClobberMemory();
        best = std::min(best, nowNs() - start);
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * static_cast<std::int64_t>(state.iterations()));
    state.counters["of_memcpy"] =
        static_cast<double>(bytes) * 1e9 / static_cast<double>(best) / memcpyRate(bytes);
}

void CopyOfAPicture(benchmark::State& state) {
    const VideoFormat format = tightFormat(kWidth, kHeight, PixelFormat::rgba);
    const std::vector<std::byte> from = noise(format.payloadBytes);
    std::vector<std::byte> to(from.size());
    measure(state, format.payloadBytes, [&] { std::memcpy(to.data(), from.data(), from.size()); });
}
BENCHMARK(CopyOfAPicture)->Unit(benchmark::kMillisecond);

/// Single-threaded, for comparable figures: a source uses all processors.
void convertedBySwscale(benchmark::State& state, PixelFormat from, PixelFormat to) {
    VideoFormat source = tightFormat(kWidth, kHeight, from);
    source.colour = canvasColour(from);
    VideoFormat target = tightFormat(kWidth, kHeight, to);
    target.colour = canvasColour(to);
    std::vector<std::byte> payload = noise(source.payloadBytes);
    const FramePtr picture = borrowPayload(source, payload.data());
    std::vector<std::byte> out(target.payloadBytes + PictureConverter::kOverrunBytes);
    PictureConverter converter(1);
    measure(state, target.payloadBytes, [&] { converter.convert(*picture, target, out.data()); });
}

/// Encodes rows of RGB into a picture, as patterns are painted once.
void encodedFromRgb(benchmark::State& state, PixelFormat to) {
    VideoFormat target = tightFormat(kWidth, kHeight, to);
    target.colour = canvasColour(to);
    std::vector<float> samples(std::size_t{kWidth} * 3, 0.25F);
    const std::span<float> all(samples);
    const RgbRow row{all.first(kWidth), all.subspan(kWidth, kWidth), all.last(kWidth)};
    std::vector<std::byte> out(target.payloadBytes);
    RowEncoder encoder(target, target.colour);
    measure(state, target.payloadBytes, [&] {
        for (std::uint32_t y = 0; y < kHeight; ++y) {
            encoder.encode(y, row, out.data());
        }
    });
}

struct V210Picture {
    VideoFormat format = tightFormat(kWidth, kHeight, PixelFormat::v210);
    std::vector<std::byte> packed = std::vector<std::byte>(format.payloadBytes);
    std::vector<std::uint16_t> luma = std::vector<std::uint16_t>(kWidth, 512);
    std::vector<std::uint16_t> cb = std::vector<std::uint16_t>(kWidth / 2, 300);
    std::vector<std::uint16_t> cr = std::vector<std::uint16_t>(kWidth / 2, 700);

    std::byte* row(std::uint32_t y) { return packed.data() + std::size_t{y} * format.planes[0].stride; }
};

void V210Packed(benchmark::State& state) {
    V210Picture picture;
    measure(state, picture.format.payloadBytes, [&] {
        for (std::uint32_t y = 0; y < kHeight; ++y) {
            packV210Row(picture.luma.data(), picture.cb.data(), picture.cr.data(), kWidth, picture.row(y),
                        picture.format.planes[0].stride);
        }
    });
}
BENCHMARK(V210Packed)->Unit(benchmark::kMillisecond);

void V210Unpacked(benchmark::State& state) {
    V210Picture picture;
    measure(state, picture.format.payloadBytes, [&] {
        for (std::uint32_t y = 0; y < kHeight; ++y) {
            unpackV210Row(picture.row(y), kWidth, picture.luma.data(), picture.cb.data(), picture.cr.data());
        }
    });
}
BENCHMARK(V210Unpacked)->Unit(benchmark::kMillisecond);

std::string nameOf(PixelFormat format) {
    return std::string(pixelFormatName(format));
}

/// The usual decoder formats into each format that can be sent, and each of these as it would be painted.
const bool kRegistered = [] {
    for (const PixelFormatInfo& info : allPixelFormats()) {
        for (const PixelFormat from : {PixelFormat::yuv420p, PixelFormat::yuv422p10le}) {
            if (info.format != from) {
                benchmark::RegisterBenchmark(
                    ("Converted/" + nameOf(from) + "/" + nameOf(info.format)).c_str(), convertedBySwscale,
                    from, info.format)
                    ->Unit(benchmark::kMillisecond);
            }
        }
        benchmark::RegisterBenchmark(("Encoded/" + nameOf(info.format)).c_str(), encodedFromRgb, info.format)
            ->Unit(benchmark::kMillisecond);
    }
    return true;
}();

}  // namespace
}  // namespace verbcast::testing
