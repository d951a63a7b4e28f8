// Where pictures are placed on the target, and that drawing shows what readPicture() returns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/render/gl_support.h"
#include "tests/render/pictures.h"

namespace verbcast::testing {
namespace {

constexpr float kClear[3] = {0, 0, 1};
constexpr Rgb kClearColour{0, 0, 255};

class Draw : public GlTest {};
class DrawFormat : public GlTest, public ::testing::WithParamInterface<PixelFormat> {};

/// Corners: top left white, top right red, bottom left green, bottom right gray.
CodePicture quadrants(const VideoFormat& format) {
    auto picture = flatPicture(format, 255, 255, 255);
    for (std::uint32_t y = 0; y < format.height; ++y) {
        for (std::uint32_t x = 0; x < format.width; ++x) {
            const bool right = x >= format.width / 2, bottom = y >= format.height / 2;
            const std::size_t i = std::size_t{y} * format.width + x;
            picture.planes[0].codes[i] = right && bottom ? 128 : bottom ? 0 : 255;
            picture.planes[1].codes[i] = right && bottom ? 128 : right ? 0 : 255;
            picture.planes[2].codes[i] = right && bottom ? 128 : right || bottom ? 0 : 255;
        }
    }
    return picture;
}

constexpr Rgb kWhite{255, 255, 255}, kRed{255, 0, 0}, kGreen{0, 255, 0}, kGray{128, 128, 128};

struct Turn {
    std::uint16_t degrees;
    Rgb topLeft, topRight, bottomRight, bottomLeft;
};

TEST_F(Draw, RotationIsClockwise) {
    const Turn turns[] = {{0, kWhite, kRed, kGray, kGreen},
                          {90, kGreen, kWhite, kRed, kGray},
                          {180, kGray, kGreen, kWhite, kRed},
                          {270, kRed, kGray, kGreen, kWhite}};
    for (const auto& turn : turns) {
        auto format = namedFormat(80, 40, PixelFormat::rgba);
        format.rotation = turn.degrees;
        ShowingRenderer renderer(format, quadrants(format));
        Canvas canvas(200, 100);
        renderer.draw({100, 50, 0.5}, 200, 100, kClear);
        const auto image = canvas.read();
        const bool upright = turn.degrees % 180 == 0;
        const int halfWidth = upright ? 20 : 10, halfHeight = upright ? 10 : 20;
        const int left = 100 - halfWidth, right = 99 + halfWidth, top = 50 - halfHeight,
                  bottom = 49 + halfHeight;
        const auto where = std::to_string(turn.degrees) + " degrees";
        expectNear(pixelAt(image, left, top), turn.topLeft, 1, where);
        expectNear(pixelAt(image, right, top), turn.topRight, 1, where);
        expectNear(pixelAt(image, right, bottom), turn.bottomRight, 1, where);
        expectNear(pixelAt(image, left, bottom), turn.bottomLeft, 1, where);
        expectNear(pixelAt(image, left - 1, top), kClearColour, 0, where);
        expectNear(pixelAt(image, right + 1, bottom), kClearColour, 0, where);
        expectNear(pixelAt(image, right, top - 1), kClearColour, 0, where);
        expectNear(pixelAt(image, left, bottom + 1), kClearColour, 0, where);
        expectNear(pixelAt(image, 0, 99), kClearColour, 0, where);
    }
}

/// Blended over the target by its opacity and, on request, by its own alpha; nothing else is changed.
TEST_F(Draw, OverAnotherItIsSeenThrough) {
    const auto format = namedFormat(64, 64, PixelFormat::rgba);
    std::vector<std::byte> payload(format.payloadBytes);
    for (std::size_t pixel = 0; pixel < payload.size(); pixel += 4) {
        payload[pixel] = std::byte{200};
        payload[pixel + 1] = payload[pixel + 2] = std::byte{0};
        payload[pixel + 3] = std::byte{102};  // two fifths
    }
    const auto yuv = namedFormat(64, 64, PixelFormat::yuv444p);
    StreamRenderer rgba;
    rgba.upload(format, payload.data());
    ShowingRenderer white(yuv, flatPicture(yuv, 235, 128, 128));
    const TargetPart part{128, 128, {32, 32, 64, 64}, {32, 32, 64, 64}};
    const Placement placement = fitPlacement(format, 64, 64);
    struct Case {
        StreamRenderer& renderer;
        Blend blend;
        Rgb expected;  // over (0, 0, 255)
    };
    for (const Case& each :
         {Case{rgba, {0.5F, false}, {100, 0, 128}}, Case{rgba, {1, true}, {80, 0, 153}},
          Case{rgba, {0.5F, true}, {40, 0, 204}}, Case{rgba, {1, false}, {200, 0, 0}},
          Case{white, {0.25F, false}, {64, 64, 255}}, Case{white, {1, true}, {255, 255, 255}}}) {
        const Canvas canvas(128, 128);
        clearTarget(128, 128, kClear);
        each.renderer.drawOver(placement, part, each.blend);
        const RgbaImage image = canvas.read();
        expectNear(pixelAt(image, 64, 64), each.expected, 1, std::to_string(each.blend.opacity));
        expectNear(pixelAt(image, 30, 64), kClearColour, 0, "beside it");
        EXPECT_EQ(image.pixels[4 * (64 * 128 + 64) + 3], 255) << "the target's own alpha stays";
        EXPECT_FALSE(glIsEnabled(GL_BLEND));
    }
}

TEST_F(Draw, PixelAspectWidens) {
    auto format = namedFormat(40, 40, PixelFormat::rgba);
    format.pixelAspect = {2, 1};
    ShowingRenderer renderer(format, quadrants(format));
    Canvas canvas(100, 100);
    renderer.draw(fitPlacement(format, 100, 100), 100, 100, kClear);  // 100x50 in the middle
    const auto image = canvas.read();
    expectNear(pixelAt(image, 0, 25), kWhite, 1, "top left");
    expectNear(pixelAt(image, 99, 25), kRed, 1, "top right");
    expectNear(pixelAt(image, 99, 74), kGray, 1, "bottom right");
    expectNear(pixelAt(image, 50, 24), kClearColour, 0, "above");
    expectNear(pixelAt(image, 50, 75), kClearColour, 0, "below");
}

TEST_F(Draw, WithoutAPictureTheTargetIsCleared) {
    StreamRenderer renderer;
    Canvas canvas(16, 16);
    renderer.draw({8, 8, 1}, 16, 16, kClear);
    expectNear(pixelAt(canvas.read(), 8, 8), kClearColour, 0, "cleared");
}

/// The picture drawn at `scale` with its top left corner at (0, 0).
RgbaImage drawn(StreamRenderer& renderer, int width, int height, double scale) {
    const auto size = displaySize(renderer.format());
    Canvas canvas(width, height);
    renderer.draw({size.width * scale / 2, size.height * scale / 2, scale}, width, height, kBlack);
    return canvas.read();
}

/// Compares every pixel of `image` with the pixel of `picture` that covers it.
void expectPicture(const RgbaImage& image, const RgbaImage& picture, int scale, int tolerance,
                   const std::string& where) {
    std::size_t wrong = 0;
    for (int y = 0; y < static_cast<int>(image.height); ++y) {
        for (int x = 0; x < static_cast<int>(image.width); ++x) {
            const auto shown = pixelAt(image, x, y), expected = pixelAt(picture, x / scale, y / scale);
            wrong += std::abs(shown.red - expected.red) > tolerance ||
                     std::abs(shown.green - expected.green) > tolerance ||
                     std::abs(shown.blue - expected.blue) > tolerance;
        }
    }
    EXPECT_EQ(wrong, 0u) << where;
}

TEST_P(DrawFormat, ShowsThePicturePixelForPixelAndEnlarged) {
    const auto format = namedFormat(64, 48, GetParam());
    ShowingRenderer renderer(format, noisePicture(format));
    const auto picture = renderer.readPicture();
    expectPicture(drawn(renderer, 64, 48, 1), picture, 1, 1, "pixel for pixel");
    expectPicture(drawn(renderer, 32, 24, 4), picture, 4, 1, "converted while drawn, enlarged");
    expectPicture(drawn(renderer, 256, 192, 4), picture, 4, 1, "converted first, enlarged");
    expectPicture(drawn(renderer, 256, 192, 4), picture, 4, 1, "repainted");
}

class DrawInWindow : public DrawFormat {};

// Into a window, packed R'G'B' is copied if it fits. llvmpipe has special paths for drawing into windows, one
// of which swaps red and blue.
TEST_P(DrawInWindow, LooksTheSameInAWindow) {
    const auto format = namedFormat(33, 21, GetParam());
    ShowingRenderer renderer(format, noisePicture(format));
    for (const Placement& placement :
         {Placement{100, 70, 1}, Placement{16.5, 10.5, 1}, Placement{3, 138, 1}, Placement{199, -4, 1},
          Placement{-100, 70, 1}, Placement{100, 70, 1.5}, Placement{100, 70, 4}, Placement{100, 70, 20}}) {
        const auto shown = [&](Canvas&& canvas) {
            renderer.draw(placement, canvas.width(), canvas.height(), kClear);
            return canvas.read();
        };
        expectPicture(shown(Canvas(context(), 200, 140)), shown(Canvas(200, 140)), 1, 1,
                      std::to_string(placement.scale) + " around " + std::to_string(placement.centreX) +
                          ", " + std::to_string(placement.centreY));
    }
}

// A part of a window looks like a window of its own, and nothing outside its clip is changed.
TEST_P(DrawInWindow, LooksTheSameInAPartOfAWindow) {
    const auto format = namedFormat(33, 21, GetParam());
    ShowingRenderer renderer(format, noisePicture(format));
    const TargetRect area{57, 31, 80, 60}, clip{70, 31, 67, 40};
    for (const Placement& placement : {Placement{40, 30, 1}, Placement{16.5, 10.5, 1}, Placement{40, 30, 1.5},
                                       Placement{40, 30, 0.5}, Placement{30, 20, 4}, Placement{40, 30, 20}}) {
        Canvas alone(context(), area.width, area.height);
        renderer.draw(placement, area.width, area.height, kClear);
        const RgbaImage expected = alone.read();
        Canvas window(context(), 200, 140);
        clearTarget(200, 140, kBlack);
        renderer.draw(placement, {200, 140, area, clip}, kClear);
        const RgbaImage shown = window.read();
        for (int y = 0; y < 140; ++y) {
            for (int x = 0; x < 200; ++x) {
                const bool inside = x >= clip.left && x < clip.left + clip.width && y >= clip.top &&
                                    y < clip.top + clip.height;
                expectNear(
                    pixelAt(shown, x, y),
                    inside ? pixelAt(expected, x - area.left, y - area.top) : Rgb{0, 0, 0}, inside ? 1 : 0,
                    std::to_string(placement.scale) + " at " + std::to_string(x) + ", " + std::to_string(y));
            }
        }
        EXPECT_FALSE(glIsEnabled(GL_SCISSOR_TEST)) << "left behind";
    }
}

TEST_P(DrawFormat, ConvertsANewPictureAgain) {
    const auto format = namedFormat(64, 48, GetParam());
    StreamRenderer renderer;
    for (const std::uint32_t seed : {1u, 2u}) {
        const auto payload = packPicture(format, noisePicture(format, seed));
        renderer.upload(format, payload.data());
        expectPicture(drawn(renderer, 128, 96, 2), renderer.readPicture(), 2, 1,
                      "picture " + std::to_string(seed));
    }
}

// At half size each target pixel lies where four pixels meet. On a ramp bilinear filters give their mean, and
// chroma misplaced by half a pixel would be off by 2.
TEST_P(DrawFormat, ReducesByInterpolation) {
    // v210 takes chroma from the nearer row, half a row away.
    const int tolerance = GetParam() == PixelFormat::v210 ? 2 : 1;
    for (const std::uint8_t location : {1, 2}) {
        auto format = namedFormat(32, 32, GetParam());
        format.colour.chromaLocation = location;
        ShowingRenderer renderer(format, rampPicture(format));
        const auto picture = renderer.readPicture();
        const auto image = drawn(renderer, 16, 16, 0.5);
        for (int y = 2; y < 14; ++y) {
            for (int x = 2; x < 14; ++x) {
                const auto a = pixelAt(picture, 2 * x, 2 * y), b = pixelAt(picture, 2 * x + 1, 2 * y + 1);
                const Rgb mean{(a.red + b.red) / 2, (a.green + b.green) / 2, (a.blue + b.blue) / 2};
                expectNear(pixelAt(image, x, y), mean, tolerance,
                           "pixel " + std::to_string(x) + " " + std::to_string(y));
            }
        }
    }
}

// What was drawn pixel for pixel says nothing about how its next colours are drawn.
TEST_F(Draw, ChangedColoursAreDrawnAsByANewRenderer) {
    auto format = namedFormat(64, 48, PixelFormat::x2rgb10le);
    format.colour.fullRange = true;
    const auto payload = packPicture(format, noisePicture(format));
    StreamRenderer renderer, fresh;
    renderer.upload(format, payload.data());
    drawn(renderer, 64, 48, 1);
    format.colour.transfer = 16;
    renderer.upload(format, payload.data());
    fresh.upload(format, payload.data());
    expectPicture(drawn(renderer, 32, 24, 0.5), drawn(fresh, 32, 24, 0.5), 1, 1, "reduced");
}

INSTANTIATE_TEST_SUITE_P(Drawing, DrawFormat, ::testing::ValuesIn(everyFormat()), formatTestName);

// What a window adds depends on how a format is drawn, not on how it is converted: copied in either order of
// red and blue, or by a shader from one, two or three planes, or from packed words.
constexpr PixelFormat kFormatsInWindow[] = {PixelFormat::rgba, PixelFormat::bgra, PixelFormat::yuv420p,
                                            PixelFormat::nv12, PixelFormat::v210};

std::vector<PixelFormat> otherFormats() {
    std::vector<PixelFormat> formats = everyFormat();
    std::erase_if(formats, [](PixelFormat each) { return std::ranges::count(kFormatsInWindow, each) > 0; });
    return formats;
}

INSTANTIATE_TEST_SUITE_P(Drawing, DrawInWindow, ::testing::ValuesIn(kFormatsInWindow), formatTestName);
INSTANTIATE_TEST_SUITE_P(Thorough, DrawInWindow, ::testing::ValuesIn(otherFormats()), formatTestName);

}  // namespace
}  // namespace verbcast::testing
