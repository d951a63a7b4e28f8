// A part of a picture on a display of a wall, against a CPU implementation.
#include "render/tile/tile_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "render/tile/tile_geometry.h"
#include "tests/render/gl_support.h"
#include "tests/render/pictures.h"

namespace verbcast::testing {
namespace {

constexpr double kCodeStep = 1 / 255.0;

int codeAt(const CodePicture& picture, std::size_t component, std::uint32_t x, std::uint32_t y) {
    return picture.planes[component].at(x, y);
}
Rgb rgbOf(const CodePicture& picture, std::uint32_t x, std::uint32_t y) {
    return {codeAt(picture, 0, x, y), codeAt(picture, 1, x, y), codeAt(picture, 2, x, y)};
}

class Tile : public GlTest {
  protected:
    /// Draws the area into a larger, blue target.
    RgbaImage drawn(StreamRenderer& picture, const FrameRect& part, const TileLook& look, int width,
                    int height) {
        return drawn(picture, TileCrop::all(part), look, width, height);
    }
    RgbaImage drawn(StreamRenderer& picture, const TileCrop& crop, const TileLook& look, int width,
                    int height) {
        TilePicture tile;
        Canvas canvas(context(), width + 14, height + 10);
        const float blue[3] = {0, 0, 1};
        clearTarget(canvas.width(), canvas.height(), blue);
        const TargetRect area{9, 4, width, height};
        tile.draw(picture, crop, look, {canvas.width(), canvas.height(), area, area});
        RgbaImage shown = canvas.read();
        for (int x = 0; x < canvas.width(); ++x) {
            expectNear(pixelAt(shown, x, 3), {0, 0, 255}, 0, "beside the area");
            expectNear(pixelAt(shown, x, height + 4), {0, 0, 255}, 0, "beside the area");
        }
        RgbaImage inArea{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), {}};
        for (int y = 0; y < height; ++y) {
            const auto row =
                shown.pixels.begin() + (static_cast<std::ptrdiff_t>(y + 4) * canvas.width() + 9) * 4;
            inArea.pixels.insert(inArea.pixels.end(), row, row + static_cast<std::ptrdiff_t>(width) * 4);
        }
        return inArea;
    }
};

TEST_F(Tile, IsItsPartPixelForPixelTurnedByQuarters) {
    for (const PixelFormat pixels : {PixelFormat::rgba, PixelFormat::bgra, PixelFormat::rgb24}) {
        const VideoFormat format = namedFormat(61, 47, pixels);
        const CodePicture picture = noisePicture(format, 3);
        ShowingRenderer renderer(format, picture);
        const FrameRect crop{11, 7, 29, 18};
        for (const std::uint16_t rotation : {0, 90, 180, 270}) {
            const bool swaps = rotation % 180 != 0;
            const int width = swaps ? crop.height : crop.width, height = swaps ? crop.width : crop.height;
            const RgbaImage shown = drawn(renderer, crop, {.rotation = rotation}, width, height);
            for (int y = 0; y < height; ++y) {
                for (int x = 0; x < width; ++x) {
                    // Clockwise: what was on the left is at the top.
                    const int column = rotation == 0     ? x
                                       : rotation == 90  ? y
                                       : rotation == 180 ? crop.width - 1 - x
                                                         : crop.width - 1 - y;
                    const int row = rotation == 0     ? y
                                    : rotation == 90  ? crop.height - 1 - x
                                    : rotation == 180 ? crop.height - 1 - y
                                                      : x;
                    const Rgb expected = rgbOf(picture, static_cast<std::uint32_t>(crop.x + column),
                                               static_cast<std::uint32_t>(crop.y + row));
                    expectNear(pixelAt(shown, x, y), expected, 0,
                               std::to_string(rotation) + " degrees at " + std::to_string(x) + "," +
                                   std::to_string(y));
                }
            }
        }
    }
}

TEST_F(Tile, OfSubsampledChromaIsAsInTheWholePicture) {
    for (const PixelFormat pixels : {PixelFormat::yuv420p, PixelFormat::nv12, PixelFormat::uyvy422,
                                     PixelFormat::yuv422p10le, PixelFormat::v210}) {
        const VideoFormat format = namedFormat(96, 64, pixels);
        ShowingRenderer renderer(format, noisePicture(format, 9));
        const RgbaImage whole = renderer.readPicture();
        const FrameRect crop{13, 9, 41, 33};
        const RgbaImage shown = drawn(renderer, crop, {}, crop.width, crop.height);
        for (int y = 0; y < crop.height; ++y) {
            for (int x = 0; x < crop.width; ++x) {
                expectNear(pixelAt(shown, x, y), pixelAt(whole, crop.x + x, crop.y + y), 1,
                           std::string(pixelFormatName(pixels)) + " at " + std::to_string(x) + "," +
                               std::to_string(y));
            }
        }
    }
}

TEST_F(Tile, KeepsItsShapeOnAScreenOfAnother) {
    const VideoFormat format = namedFormat(64, 64, PixelFormat::rgba);
    ShowingRenderer renderer(format, flatPicture(format, 200, 100, 50));
    const RgbaImage shown = drawn(renderer, FrameRect{0, 0, 32, 16}, {}, 64, 64);  // shown as 64x32
    for (const int y : {0, 15, 48, 63}) {
        expectNear(pixelAt(shown, 30, y), {0, 0, 0}, 0, "above and below");
    }
    for (const int y : {16, 31, 47}) {
        expectNear(pixelAt(shown, 0, y), {200, 100, 50}, 0, "the picture");
        expectNear(pixelAt(shown, 63, y), {200, 100, 50}, 0, "the picture");
    }
}

TEST_F(Tile, IsBlackBesideItsPart) {
    const VideoFormat format = namedFormat(61, 47, PixelFormat::rgba);
    const CodePicture picture = noisePicture(format, 3);
    ShowingRenderer renderer(format, picture);
    const TileCrop crop{{11, 0, 29, 18}, 5, 7, 40, 25};
    const RgbaImage shown = drawn(renderer, crop, {}, 40, 25);
    for (int y = 0; y < 25; ++y) {
        for (int x = 0; x < 40; ++x) {
            const bool inside = x >= 5 && x < 34 && y >= 7;
            const Rgb expected = inside ? rgbOf(picture, static_cast<std::uint32_t>(11 + x - 5),
                                                static_cast<std::uint32_t>(y - 7))
                                        : Rgb{0, 0, 0};
            expectNear(pixelAt(shown, x, y), expected, 0, std::to_string(x) + "," + std::to_string(y));
        }
    }
    // A display that has nothing of the picture shows its black.
    TileLook lifted;
    lifted.black = 0.2;
    expectNear(pixelAt(drawn(renderer, TileCrop{{}, 0, 0, 40, 25}, lifted, 40, 25), 20, 12), {51, 51, 51}, 1,
               "all black");
}

TEST_F(Tile, StretchesPixelsAsTold) {
    const VideoFormat format = namedFormat(64, 64, PixelFormat::rgba);
    ShowingRenderer renderer(format, flatPicture(format, 200, 100, 50));
    const RgbaImage shown = drawn(renderer, FrameRect{0, 0, 16, 32}, {.pixelAspect = 4}, 64, 64);
    for (const auto& [x, y, inside] :
         {std::tuple{1, 17, true}, {62, 46, true}, {30, 14, false}, {30, 49, false}}) {
        expectNear(pixelAt(shown, x, y), inside ? Rgb{200, 100, 50} : Rgb{0, 0, 0}, 0, std::to_string(y));
    }
}

TEST_F(Tile, WithoutAPictureOrAPartIsBlack) {
    StreamRenderer renderer;
    expectNear(pixelAt(drawn(renderer, FrameRect{0, 0, 8, 8}, {}, 20, 20), 10, 10), {0, 0, 0}, 0,
               "no picture");
    const VideoFormat format = namedFormat(32, 32, PixelFormat::rgba);
    renderer.upload(format, packPicture(format, flatPicture(format, 255, 255, 255)).data());
    expectNear(pixelAt(drawn(renderer, FrameRect{}, {}, 20, 20), 10, 10), {0, 0, 0}, 0, "no part");
}

/// Solves for the eight coefficients of the map from the corners, in pixels, to a picture's unit square by
/// Gaussian elimination.
std::array<double, 9> mapFromCorners(const std::array<TilePoint, 4>& corners) {
    constexpr std::array<TilePoint, 4> kUnit{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
    std::array<std::array<double, 9>, 8> rows{};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto [x, y] = corners[i];
        const auto [u, v] = kUnit[i];
        rows[2 * i] = {x, y, 1, 0, 0, 0, -u * x, -u * y, u};
        rows[2 * i + 1] = {0, 0, 0, x, y, 1, -v * x, -v * y, v};
    }
    for (std::size_t column = 0; column < 8; ++column) {
        const auto pivot = std::max_element(
            rows.begin() + static_cast<std::ptrdiff_t>(column), rows.end(),
            [column](const auto& a, const auto& b) { return std::abs(a[column]) < std::abs(b[column]); });
        std::swap(rows[column], *pivot);
        for (std::size_t row = 0; row < 8; ++row) {
            const double factor = row == column ? 0 : rows[row][column] / rows[column][column];
            for (std::size_t k = 0; k < 9; ++k) {
                rows[row][k] -= factor * rows[column][k];
            }
        }
    }
    std::array<double, 9> map{};
    for (std::size_t i = 0; i < 8; ++i) {
        map[i] = rows[i][8] / rows[i][i];
    }
    map[8] = 1;
    return map;
}

TEST_F(Tile, IsWarpedAsTheMapFromItsCornersSays) {
    constexpr int kAcross = 120, kDown = 90;
    const VideoFormat format = namedFormat(32, 32, PixelFormat::rgba);
    const CodePicture picture = rampPicture(format);  // two codes per pixel: detects an offset of one pixel
    ShowingRenderer renderer(format, picture);
    const FrameRect crop{4, 2, 26, 28};
    for (const auto& corners :
         {std::array<TilePoint, 4>{{{0.1, 0.05}, {0.93, 0.12}, {0.85, 0.97}, {0.04, 0.8}}},
          std::array<TilePoint, 4>{{{0.3, 0}, {0.7, 0.1}, {1, 1}, {0, 0.9}}},
          std::array<TilePoint, 4>{{{-0.2, -0.1}, {1.1, 0}, {1.2, 1.3}, {0, 1}}}}) {
        std::array<TilePoint, 4> pixels = corners;
        for (TilePoint& corner : pixels) {
            corner = {corner.x * kAcross, corner.y * kDown};
        }
        const auto map = mapFromCorners(pixels);
        const RgbaImage shown = drawn(renderer, crop, {.corners = corners}, kAcross, kDown);
        int compared = 0, outside = 0;
        for (int y = 0; y < kDown; ++y) {
            for (int x = 0; x < kAcross; ++x) {
                const double px = x + 0.5, py = y + 0.5;
                const double w = map[6] * px + map[7] * py + map[8];
                const double column = (map[0] * px + map[1] * py + map[2]) / w * crop.width - 0.5;
                const double row = (map[3] * px + map[4] * py + map[5]) / w * crop.height - 0.5;
                const Rgb pixel = pixelAt(shown, x, y);
                if (w < 0 || column < -1 || row < -1 || column > crop.width || row > crop.height) {
                    expectNear(pixel, {0, 0, 0}, 0, "beside the picture");
                    ++outside;
                } else if (column >= 0 && row >= 0 && column < crop.width - 1 && row < crop.height - 1) {
                    // The ramps are linear, and so is their interpolation.
                    const auto left = static_cast<std::uint32_t>(column),
                               top = static_cast<std::uint32_t>(row);
                    const auto mixed = [&](std::size_t component) {
                        const auto code = [&](std::uint32_t dx, std::uint32_t dy) {
                            return static_cast<double>(
                                codeAt(picture, component, crop.x + left + dx, crop.y + top + dy));
                        };
                        const double fx = column - left, fy = row - top;
                        return static_cast<int>(
                            std::lround((code(0, 0) * (1 - fx) + code(1, 0) * fx) * (1 - fy) +
                                        (code(0, 1) * (1 - fx) + code(1, 1) * fx) * fy));
                    };
                    expectNear(pixel, {mixed(0), mixed(1), mixed(2)}, 1,
                               std::to_string(x) + "," + std::to_string(y));
                    ++compared;
                }
            }
        }
        EXPECT_GT(compared, 3000);
        EXPECT_TRUE(outside > 0 || corners[0].x < 0);
    }
}

TEST(TileGeometry, ComesBackFromTheScreenToTheCorners) {
    const TileLook look{.rotation = 90, .corners = {{{{0.1, 0.2}, {0.9, 0.1}, {0.8, 0.9}, {0.2, 0.7}}}}};
    const TilePlace place = placeTile(look, 300, 200, {0, 0, 1000, 500});
    // On the screen the picture's bottom left corner is at the top left.
    const TilePoint corner = place.pictureFromTarget.map({100, 100});
    EXPECT_NEAR(corner.x, 0, 1e-9);
    EXPECT_NEAR(corner.y, 1, 1e-9);
    const TilePoint next = place.pictureFromTarget.map({900, 50});
    EXPECT_NEAR(next.x, 0, 1e-9);
    EXPECT_NEAR(next.y, 0, 1e-9);
    EXPECT_FALSE(place.exact);
    EXPECT_TRUE(placeTile({.rotation = 90}, 300, 200, {5, 5, 200, 300}).exact);
}

/// The light that a display with that gamma emits for a code.
double lightOfCode(int code, double gamma) {
    return std::pow(code / 255.0, gamma);
}

TEST_F(Tile, ThatOverlapsOthersAddsUpToThePicturesLight) {
    constexpr int kAcross = 96, kDown = 72, kOverlap = 24;
    const VideoFormat format = namedFormat(kAcross, kDown, PixelFormat::rgba);
    const CodePicture picture = noisePicture(format, 21);
    ShowingRenderer renderer(format, picture);
    constexpr int kTileWidth = (kAcross + kOverlap) / 2, kTileHeight = (kDown + kOverlap) / 2;
    for (const double gamma : {1.0, 2.2, 2.6}) {
        std::vector<std::array<double, 3>> light(static_cast<std::size_t>(kAcross) * kDown);
        for (const int right : {0, 1}) {
            for (const int bottom : {0, 1}) {
                TileLook look;
                look.fade.gamma = gamma;
                (right != 0 ? look.fade.left : look.fade.right) = double(kOverlap) / kTileWidth;
                (bottom != 0 ? look.fade.top : look.fade.bottom) = double(kOverlap) / kTileHeight;
                const int x0 = right * (kAcross - kTileWidth), y0 = bottom * (kDown - kTileHeight);
                const RgbaImage shown =
                    drawn(renderer,
                          FrameRect{static_cast<std::uint16_t>(x0), static_cast<std::uint16_t>(y0),
                                    kTileWidth, kTileHeight},
                          look, kTileWidth, kTileHeight);
                for (int y = 0; y < kTileHeight; ++y) {
                    for (int x = 0; x < kTileWidth; ++x) {
                        const Rgb pixel = pixelAt(shown, x, y);
                        auto& sum = light[static_cast<std::size_t>((y0 + y) * kAcross + x0 + x)];
                        sum[0] += lightOfCode(pixel.red, gamma);
                        sum[1] += lightOfCode(pixel.green, gamma);
                        sum[2] += lightOfCode(pixel.blue, gamma);
                    }
                }
            }
        }
        double worst = 0;
        for (std::uint32_t y = 0; y < kDown; ++y) {
            for (std::uint32_t x = 0; x < kAcross; ++x) {
                for (std::size_t component = 0; component < 3; ++component) {
                    const double expected = lightOfCode(codeAt(picture, component, x, y), gamma);
                    worst = std::max(worst, std::abs(light[y * kAcross + x][component] - expected));
                }
            }
        }
        // Each of up to four displays rounds to a code of its own: two 8-bit steps in light.
        EXPECT_LE(worst, 2 * kCodeStep) << gamma;
    }
}

TEST_F(Tile, HasItsDisplaysColours) {
    const VideoFormat format = namedFormat(32, 32, PixelFormat::rgba);
    const CodePicture picture = noisePicture(format, 5);
    ShowingRenderer renderer(format, picture);
    TileLook look;
    look.gain = {0.9, 1.2, 0.5};
    look.gamma = 1.3;
    look.black = 0.06;
    const RgbaImage shown = drawn(renderer, FrameRect{0, 0, 32, 32}, look, 32, 32);
    const auto expected = [&](int code, double gain) {
        const double value = std::pow(std::min(1.0, code / 255.0 * gain), 1 / look.gamma);
        return static_cast<int>(std::lround((look.black + (1 - look.black) * value) * 255));
    };
    for (int y = 0; y < 32; ++y) {
        for (int x = 0; x < 32; ++x) {
            const Rgb code = rgbOf(picture, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
            expectNear(pixelAt(shown, x, y),
                       {expected(code.red, 0.9), expected(code.green, 1.2), expected(code.blue, 0.5)}, 1,
                       std::to_string(x) + "," + std::to_string(y));
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
