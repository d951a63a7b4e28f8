// Tone mapping and gamut mapping against the formulas of the standards, computed in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/render/gl_support.h"
#include "tests/render/pictures.h"

namespace verbcast::testing {
namespace {

using Triple = std::array<double, 3>;

// SMPTE ST 2084.
double pqEotf(double signal) {
    const double m1 = 0.1593017578125, m2 = 78.84375, c1 = 0.8359375, c2 = 18.8515625, c3 = 18.6875;
    const double root = std::pow(signal, 1 / m2);
    return 10000 * std::pow(std::max(root - c1, 0.0) / (c2 - c3 * root), 1 / m1);
}
double pqInverse(double light) {
    const double m1 = 0.1593017578125, m2 = 78.84375, c1 = 0.8359375, c2 = 18.8515625, c3 = 18.6875;
    const double power = std::pow(light / 10000, m1);
    return std::pow((c1 + c2 * power) / (1 + c3 * power), m2);
}

// BT.2100: inverse OETF, then the OOTF for a display of 1000 cd/m2.
double hlgScene(double signal) {
    const double a = 0.17883277, b = 0.28466892, c = 0.55991073;
    return signal <= 0.5 ? signal * signal / 3 : (std::exp((signal - c) / a) + b) / 12;
}
Triple hlgEotf(const Triple& signal) {
    const Triple scene{hlgScene(signal[0]), hlgScene(signal[1]), hlgScene(signal[2])};
    const double luminance = 0.2627 * scene[0] + 0.6780 * scene[1] + 0.0593 * scene[2];
    const double gain = luminance > 0 ? 1000 * std::pow(luminance, 0.2) : 0;
    return {gain * scene[0], gain * scene[1], gain * scene[2]};
}

// BT.2390, 5.4.1, source black and target black 0.
double eetf(double light, double sourcePeak, double targetPeak) {
    const double maximum = pqInverse(targetPeak) / pqInverse(sourcePeak);
    const double knee = 1.5 * maximum - 0.5;
    const double e1 = std::min(pqInverse(light) / pqInverse(sourcePeak), 1.0);
    if (e1 < knee) {
        return light;
    }
    const double t = (e1 - knee) / (1 - knee), t2 = t * t, t3 = t2 * t;
    const double e2 =
        (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (-2 * t3 + 3 * t2) * maximum;
    return pqEotf(e2 * pqInverse(sourcePeak));
}

double srgb(double light) {
    return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

Triple bt709From2020(const Triple& v) {
    return {1.6605 * v[0] - 0.5876 * v[1] - 0.0728 * v[2], -0.1246 * v[0] + 1.1329 * v[1] - 0.0083 * v[2],
            -0.0182 * v[0] - 0.1006 * v[1] + 1.1187 * v[2]};
}

Triple toneMapped(Triple light) {
    const double peak = *std::max_element(light.begin(), light.end());
    const double ratio = peak > 0 ? eetf(peak, 1000, 203) / peak : 0;
    for (auto& value : light) {
        value *= ratio / 203;
    }
    auto screen = bt709From2020(light);
    for (auto& value : screen) {
        value = 255 * srgb(std::clamp(value, 0.0, 1.0));
    }
    return screen;
}

VideoFormat rgbFormat(std::uint8_t transfer, std::uint32_t width, std::uint32_t height) {
    auto format = namedFormat(width, height, PixelFormat::x2rgb10le);
    format.colour.primaries = 9;
    format.colour.transfer = transfer;
    return format;
}

/// All grays in rows 0 to 15, saturated colours below.
CodePicture signalPicture(const VideoFormat& format) {
    auto picture = noisePicture(format);
    for (std::uint32_t x = 0; x < format.width; ++x) {
        for (std::size_t row = 0; row < 16; ++row) {
            for (auto& plane : picture.planes) {
                plane.codes[row * format.width + x] = static_cast<std::uint16_t>(x);
            }
        }
    }
    return picture;
}

RgbaImage shown(const VideoFormat& format, const CodePicture& picture, std::string* note = nullptr) {
    ShowingRenderer renderer(format, picture);
    if (note != nullptr) {
        *note = renderer.colourNote();
    }
    return renderer.readPicture();
}

template <typename Formula>
void expectFormula(const VideoFormat& format, const CodePicture& picture, const RgbaImage& image,
                   Formula formula) {
    for (std::uint32_t y = 0; y < format.height; ++y) {
        for (std::uint32_t x = 0; x < format.width; ++x) {
            const Triple signal{picture.planes[0].at(x, y) / 1023.0, picture.planes[1].at(x, y) / 1023.0,
                                picture.planes[2].at(x, y) / 1023.0};
            const Triple expected = formula(signal);
            const auto rounded = [&](std::size_t i) { return static_cast<int>(std::lround(expected[i])); };
            expectNear(pixelAt(image, static_cast<int>(x), static_cast<int>(y)),
                       {rounded(0), rounded(1), rounded(2)}, 1, std::to_string(x) + " " + std::to_string(y));
        }
    }
}

class Hdr : public GlTest {};

TEST_F(Hdr, PqFollowsTheFormulas) {
    const auto format = rgbFormat(16, 1024, 32);
    const auto picture = signalPicture(format);
    std::string note;
    const auto image = shown(format, picture, &note);
    EXPECT_EQ(note, "PQ tone-mapped to SDR");
    expectFormula(format, picture, image, [](const Triple& signal) {
        return toneMapped({pqEotf(signal[0]), pqEotf(signal[1]), pqEotf(signal[2])});
    });
}

TEST_F(Hdr, HlgFollowsTheFormulas) {
    const auto format = rgbFormat(18, 1024, 32);
    const auto picture = signalPicture(format);
    std::string note;
    const auto image = shown(format, picture, &note);
    EXPECT_EQ(note, "HLG tone-mapped to SDR");
    expectFormula(format, picture, image, [](const Triple& signal) { return toneMapped(hlgEotf(signal)); });
}

TEST_F(Hdr, GraysRiseFromBlackToWhite) {
    for (const std::uint8_t transfer : {16, 18}) {
        const auto format = rgbFormat(transfer, 1024, 16);
        const auto image = shown(format, signalPicture(format));
        expectNear(pixelAt(image, 0, 0), {0, 0, 0}, 0, "black");
        expectNear(pixelAt(image, 1023, 0), {255, 255, 255}, 0, "peak");
        for (int x = 1; x < 1024; ++x) {
            const auto before = pixelAt(image, x - 1, 0), here = pixelAt(image, x, 0);
            EXPECT_GE(here.red, before.red) << x;
            EXPECT_NEAR(here.red, here.green, 1) << x;
            EXPECT_NEAR(here.red, here.blue, 1) << x;
        }
    }
}

// BT.2408: 203 cd/m2 is 58 % PQ and 75 % HLG. The curve leaves headroom above it, so it is slightly below the
// screen's white.
TEST_F(Hdr, ReferenceWhiteIsTheSameForBothTransfers) {
    const double expected = 255 * srgb(eetf(203, 1000, 203) / 203);
    EXPECT_NEAR(expected, 231, 3);
    const auto at = [](std::uint8_t transfer, double signal) {
        const auto format = rgbFormat(transfer, 16, 16);
        const auto code = static_cast<std::uint16_t>(std::lround(signal * 1023));
        return pixelAt(shown(format, flatPicture(format, code, code, code)), 8, 8).red;
    };
    EXPECT_NEAR(at(16, 0.58), expected, 2);
    EXPECT_NEAR(at(18, 0.75), expected, 2);
}

TEST_F(Hdr, YcbcrGoesTheSameWay) {
    auto format = namedFormat(64, 16, PixelFormat::p010le);
    format.colour = {.primaries = 9, .transfer = 16, .matrix = 9, .fullRange = false, .chromaLocation = 3};
    for (const std::uint16_t luma : {64, 300, 500, 700, 940}) {
        const double signal = (luma - 64) / 876.0;
        const double light = eetf(pqEotf(signal), 1000, 203) / 203;
        const int expected = static_cast<int>(std::lround(255 * srgb(std::min(light, 1.0))));
        expectNear(pixelAt(shown(format, flatPicture(format, luma, 512, 512)), 8, 8),
                   {expected, expected, expected}, 1, "luma " + std::to_string(luma));
    }
}

TEST_F(Hdr, WideGamutWithSdrTransferIsMapped) {
    const auto format = rgbFormat(14, 64, 64);
    const auto picture = noisePicture(format);
    std::string note;
    const auto image = shown(format, picture, &note);
    EXPECT_EQ(note, "BT.2020 mapped to BT.709");
    expectFormula(format, picture, image, [](const Triple& signal) {
        auto screen =
            bt709From2020({std::pow(signal[0], 2.4), std::pow(signal[1], 2.4), std::pow(signal[2], 2.4)});
        for (auto& value : screen) {
            value = 255 * std::pow(std::clamp(value, 0.0, 1.0), 1 / 2.4);
        }
        return screen;
    });
}

TEST_F(Hdr, SdrHasNoNote) {
    const auto format = namedFormat(64, 16, PixelFormat::yuv420p10le);
    std::string note = "unset";
    shown(format, noisePicture(format), &note);
    EXPECT_EQ(note, "");
}

}  // namespace
}  // namespace verbcast::testing
