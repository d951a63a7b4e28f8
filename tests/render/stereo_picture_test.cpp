// Pictures for both eyes, against a CPU implementation.
#include "render/picture_pair.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/render/gl_support.h"
#include "tests/render/pictures.h"

namespace verbcast::testing {
namespace {

// E. Dubois, "Conversion of a stereo pair to anaglyph with the least-squares projection method", 2009: by
// rows, for linear light.
constexpr std::array<std::array<double, 3>, 3> kLeftMatrix{
    {{0.437, 0.449, 0.164}, {-0.062, -0.062, -0.024}, {-0.048, -0.050, -0.017}}};
constexpr std::array<std::array<double, 3>, 3> kRightMatrix{
    {{-0.011, -0.032, -0.007}, {0.377, 0.761, 0.009}, {-0.026, -0.093, 1.234}}};

/// IEC 61966-2-1.
double linearLight(int code) {
    const double value = code / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

int codeOf(double light) {
    const double inside = std::clamp(light, 0.0, 1.0);
    const double value = inside <= 0.0031308 ? inside * 12.92 : 1.055 * std::pow(inside, 1 / 2.4) - 0.055;
    return static_cast<int>(std::lround(value * 255));
}

Rgb anaglyphOf(const Rgb& left, const Rgb& right) {
    const std::array<double, 3> l{linearLight(left.red), linearLight(left.green), linearLight(left.blue)};
    const std::array<double, 3> r{linearLight(right.red), linearLight(right.green), linearLight(right.blue)};
    std::array<int, 3> codes{};
    for (std::size_t row = 0; row < 3; ++row) {
        double light = 0;
        for (std::size_t column = 0; column < 3; ++column) {
            light += kLeftMatrix[row][column] * l[column] + kRightMatrix[row][column] * r[column];
        }
        codes[row] = codeOf(light);
    }
    return {codes[0], codes[1], codes[2]};
}

class Stereo : public GlTest {
  protected:
    void SetUp() override {
        GlTest::SetUp();
        left_ = std::make_unique<StreamRenderer>();
        right_ = std::make_unique<StreamRenderer>();
        left_->upload(format_, packPicture(format_, noisePicture(format_, 1)).data());
        right_->upload(format_, packPicture(format_, noisePicture(format_, 2)).data());
    }
    void TearDown() override {
        left_.reset();
        right_.reset();
        GlTest::TearDown();
    }

    /// Drawn in the middle of a larger, blue target.
    RgbaImage drawn(StereoWay way, int firstRow = 0) {
        StereoPicture stereo;
        Canvas canvas(context(), 64, 48);
        const float blue[3] = {0, 0, 1};
        clearTarget(64, 48, blue);
        const Placement placement{kWidth / 2.0, kHeight / 2.0, 1};
        stereo.draw({*left_, placement}, {*right_, placement}, {64, 48, kArea, kArea}, way, firstRow);
        return canvas.read();
    }
    template <typename Expected>
    void expectEach(const RgbaImage& shown, const Expected& expected) {
        for (int y = 0; y < 48; ++y) {
            for (int x = 0; x < 64; ++x) {
                const int column = x - kArea.left, row = y - kArea.top;
                const bool inside = column >= 0 && column < kWidth && row >= 0 && row < kHeight;
                expectNear(pixelAt(shown, x, y), inside ? expected(column, row) : Rgb{0, 0, 255}, 1,
                           std::to_string(x) + ", " + std::to_string(y));
            }
        }
    }

    static constexpr int kWidth = 37, kHeight = 23;
    static constexpr TargetRect kArea{11, 7, kWidth, kHeight};
    const VideoFormat format_ = namedFormat(kWidth, kHeight, PixelFormat::rgba);
    std::unique_ptr<StreamRenderer> left_, right_;
};

TEST_F(Stereo, AnaglyphIsDuboisInLinearLight) {
    const RgbaImage shown = drawn(StereoWay::Anaglyph);
    const RgbaImage a = left_->readPicture(), b = right_->readPicture();
    expectEach(shown, [&](int x, int y) { return anaglyphOf(pixelAt(a, x, y), pixelAt(b, x, y)); });
}

// Independent of the matrices: a grey that both eyes see in the same place stays nearly grey, and one eye's
// picture reaches only its own lens, as far as screens allow.
TEST_F(Stereo, AnaglyphKeepsGreyAndPartsTheEyes) {
    for (const int grey : {30, 120, 200, 255}) {
        const Rgb both = anaglyphOf({grey, grey, grey}, {grey, grey, grey});
        EXPECT_NEAR(both.red, grey, 9);
        EXPECT_NEAR(both.green, grey, 9);
        EXPECT_NEAR(both.blue, grey, 9);
        const Rgb left = anaglyphOf({grey, grey, grey}, {0, 0, 0});
        EXPECT_GT(left.red, grey - 9);
        EXPECT_EQ(left.green, 0);
        EXPECT_EQ(left.blue, 0);
        const Rgb right = anaglyphOf({0, 0, 0}, {grey, grey, grey});
        EXPECT_EQ(right.red, 0);
        EXPECT_GT(right.green, grey - 9);
    }
}

TEST_F(Stereo, RowsOfTheScreenAreForEitherEyeInTurn) {
    for (const int firstRow : {0, 1, 42, 1079}) {
        const RgbaImage shown = drawn(StereoWay::Rows, firstRow);
        const RgbaImage a = left_->readPicture(), b = right_->readPicture();
        expectEach(shown, [&](int x, int y) { return pixelAt((firstRow + y) % 2 == 0 ? a : b, x, y); });
    }
}

TEST_F(Stereo, HalvesAreTheMeansOfTwoPixels) {
    const RgbaImage shown = drawn(StereoWay::Halves);
    const RgbaImage a = left_->readPicture(), b = right_->readPicture();
    expectEach(shown, [&](int x, int y) {
        const int half = kWidth / 2;
        if (x >= 2 * half) {
            return Rgb{0, 0, 0};
        }
        const RgbaImage& eye = x < half ? a : b;
        const Rgb p = pixelAt(eye, x % half * 2, y), q = pixelAt(eye, x % half * 2 + 1, y);
        return Rgb{(p.red + q.red + 1) / 2, (p.green + q.green + 1) / 2, (p.blue + q.blue + 1) / 2};
    });
}

TEST_F(Stereo, AnEyeWithoutAPictureIsBlack) {
    left_ = std::make_unique<StreamRenderer>();
    const RgbaImage shown = drawn(StereoWay::Rows);
    const RgbaImage b = right_->readPicture();
    expectEach(shown, [&](int x, int y) { return y % 2 == 0 ? Rgb{0, 0, 0} : pixelAt(b, x, y); });
}

}  // namespace
}  // namespace verbcast::testing
