#include "tests/camera/camera_bars.h"

#include <gtest/gtest.h>

#include <vector>

#include "capture/convert/picture_converter.h"

namespace verbcast::testing {
namespace {

/// The eight bars of vivid's test picture, by channel: on or off.
constexpr bool kBars[8][3] = {{true, true, true},   {true, true, false},  {false, true, true},
                              {false, true, false}, {true, false, true},  {true, false, false},
                              {false, false, true}, {false, false, false}};

}  // namespace

void expectBars(const VideoFormat& format, std::byte* payload) {
    const FramePtr picture = borrowPayload(format, payload);
    picture->colorspace = static_cast<AVColorSpace>(format.colour.matrix);
    picture->color_range = format.colour.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    const VideoFormat rgb = tightFormat(format.width, format.height, PixelFormat::rgb24);
    std::vector<std::byte> pixels(rgb.payloadBytes + PictureConverter::kOverrunBytes);
    PictureConverter(1).convert(*picture, rgb, pixels.data());
    const std::size_t row = format.height - 2;  // below the text that the driver draws
    double lightest = 256;
    for (std::size_t bar = 0; bar < 8; ++bar) {
        const std::size_t x = (2 * bar + 1) * format.width / 16;
        const auto* pixel =
            reinterpret_cast<const std::uint8_t*>(pixels.data()) + row * rgb.planes[0].stride + 3 * x;
        if (format.pixelFormat == PixelFormat::gray) {
            EXPECT_LT(pixel[0], lightest) << "bar " << bar;
            lightest = pixel[0];
            continue;
        }
        for (std::size_t channel = 0; channel < 3; ++channel) {
            EXPECT_NEAR(pixel[channel], kBars[bar][channel] ? 191 : 0, 24)
                << "bar " << bar << " channel " << channel;
        }
    }
}

}  // namespace verbcast::testing
