// The picture that visualises how far two pictures differ.
#include "render/picture_pair.h"

#include <algorithm>

#include "tests/render/gl_support.h"
#include "tests/render/pictures.h"

namespace verbcast::testing {
namespace {

class Difference : public GlTest {};

TEST_F(Difference, IsEachComponentsAmplified) {
    const auto format = namedFormat(37, 23, PixelFormat::rgba);
    ShowingRenderer first(format, noisePicture(format, 1)), second(format, noisePicture(format, 2));
    const RgbaImage a = first.readPicture(), b = second.readPicture();
    const TargetRect area{11, 7, 37, 23}, clip{20, 7, 28, 12};
    const Placement placement{37 / 2.0, 23 / 2.0, 1};
    PictureDifference difference;
    for (const int gain : {1, 3}) {
        Canvas canvas(context(), 64, 48);
        const float blue[3] = {0, 0, 1};
        clearTarget(64, 48, blue);
        difference.draw({first, placement}, {second, placement}, {64, 48, area, clip},
                        static_cast<float>(gain));
        const RgbaImage shown = canvas.read();
        for (int y = 0; y < 48; ++y) {
            for (int x = 0; x < 64; ++x) {
                Rgb expected{0, 0, 255};
                const bool inside = x >= clip.left && x < clip.left + clip.width && y >= clip.top &&
                                    y < clip.top + clip.height;
                if (inside) {
                    const Rgb p = pixelAt(a, x - area.left, y - area.top);
                    const Rgb q = pixelAt(b, x - area.left, y - area.top);
                    const auto off = [&](int m, int n) { return std::min(std::abs(m - n) * gain, 255); };
                    expected = {off(p.red, q.red), off(p.green, q.green), off(p.blue, q.blue)};
                }
                expectNear(pixelAt(shown, x, y), expected, 1, std::to_string(x) + ", " + std::to_string(y));
            }
        }
    }
}

TEST_F(Difference, OfTheSamePictureIsBlackAtEverySize) {
    const auto format = namedFormat(64, 48, PixelFormat::yuv420p);
    ShowingRenderer first(format, noisePicture(format)), second(format, noisePicture(format));
    PictureDifference difference;
    for (const double scale : {0.5, 1.0, 1.7}) {
        Canvas canvas(context(), 120, 90);
        const TargetRect all{0, 0, 120, 90};
        difference.draw({first, {60, 45, scale}}, {second, {60, 45, scale}}, {120, 90, all, all}, 255);
        const RgbaImage shown = canvas.read();
        for (std::size_t i = 0; i < shown.pixels.size(); ++i) {
            ASSERT_TRUE(i % 4 == 3 || shown.pixels[i] == 0) << scale << " at " << i / 4;
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
