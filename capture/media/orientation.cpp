#include "capture/media/orientation.h"

extern "C" {
#include <libavutil/display.h>
}

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "capture/convert/ffmpeg_library.h"

namespace verbcast {
namespace {

constexpr std::size_t kMatrixBytes = 9 * sizeof(std::int32_t);

std::optional<Orientation> orientationIn(const std::uint8_t* data, std::size_t bytes) {
    if (data == nullptr || bytes < kMatrixBytes) {
        return std::nullopt;
    }
    std::array<std::int32_t, 9> matrix{};
    std::memcpy(matrix.data(), data, kMatrixBytes);
    const double determinant =
        static_cast<double>(matrix[0]) * matrix[4] - static_cast<double>(matrix[1]) * matrix[3];
    const bool mirrored = determinant < 0;
    if (mirrored) {  // then it is upright at least
        av_display_matrix_flip(matrix.data(), 1, 0);
    }
    const double counterClockwise = av_display_rotation_get(matrix.data());
    const double quarters =
        std::isnan(counterClockwise) ? 0.0 : std::fmod(720.0 - counterClockwise, 360.0) / 90;
    return Orientation{.rotation = static_cast<std::uint16_t>(std::lround(quarters) % 4 * 90),
                       .exact = !mirrored && std::abs(quarters - std::round(quarters)) < 1.0 / 90};
}

}  // namespace

Orientation orientationOf(const AVStream& stream) {
    std::size_t bytes = 0;
    const std::uint8_t* data = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes);
    return orientationIn(data, bytes).value_or(Orientation{});
}

std::optional<Orientation> orientationOf(const AVFrame& picture) {
    const AVFrameSideData* data = av_frame_get_side_data(&picture, AV_FRAME_DATA_DISPLAYMATRIX);
    return data != nullptr ? orientationIn(data->data, data->size) : std::nullopt;
}

}  // namespace verbcast
