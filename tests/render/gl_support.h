// What the off-screen OpenGL tests share.
#pragma once

#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "render/gl_handles.h"
#include "render/offscreen_context.h"
#include "render/stream_renderer.h"

namespace verbcast::testing {

/// Has an OpenGL context, or skips the test and says why there is none. Also checks that the test left no GL
/// error.
class GlTest : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;
    /// For tests of what makes a context of its own: this one only tells whether there can be any.
    void closeContext() { context_.reset(); }
    OffscreenContext& context() { return *context_; }

  private:
    std::unique_ptr<OffscreenContext> context_;
};

/// Something to draw into; bound from construction on.
class Canvas {
  public:
    /// A framebuffer of RGBA8.
    Canvas(int width, int height);
    /// The context's own, which is as a window's: without alpha, in the driver's order of rows and bytes.
    Canvas(OffscreenContext& context, int width, int height);
    int width() const { return width_; }
    int height() const { return height_; }
    /// Rows from the top, as a window shows them.
    RgbaImage read() const;

  private:
    int width_, height_;
    GlTexture texture_;
    GlFramebuffer framebuffer_;
};

struct Rgb {
    int red, green, blue;
};
Rgb pixelAt(const RgbaImage& image, int x, int y);
void expectNear(Rgb actual, Rgb expected, int tolerance, const std::string& where);

inline constexpr float kBlack[3] = {0, 0, 0};

/// A tight format with its colour named: BT.709 limited for Y'CbCr, full for RGB.
VideoFormat namedFormat(std::uint32_t width, std::uint32_t height, PixelFormat pixelFormat);

std::vector<PixelFormat> everyFormat();
/// Names the tests of a suite over everyFormat().
std::string formatTestName(const ::testing::TestParamInfo<PixelFormat>& info);

}  // namespace verbcast::testing
