// Shared by the off-screen OpenGL tests.
#pragma once

#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "render/gl/gl_handles.h"
#include "render/gl/offscreen_context.h"
#include "render/stream_renderer.h"
#include "tests/render/pictures.h"

namespace verbcast::testing {

/// Has an OpenGL context, or skips the test and reports why there is none. Also checks that the test left no
/// GL error.
class GlTest : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;
    /// For tests of code that creates its own context: the fixture's only shows whether that is possible.
    void closeContext() { context_.reset(); }
    OffscreenContext& context() { return *context_; }

  private:
    std::unique_ptr<OffscreenContext> context_;
};

/// A render target, bound on construction.
class Canvas {
  public:
    /// A framebuffer of RGBA8.
    Canvas(int width, int height);
    /// The context's own framebuffer, which behaves like a window's: without alpha, in the driver's row and
    /// byte order.
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

/// Shows a picture.
class ShowingRenderer : public StreamRenderer {
  public:
    ShowingRenderer(const VideoFormat& format, const CodePicture& picture,
                    UploadPath path = UploadPath::Measure)
        : StreamRenderer(path) {
        upload(format, packPicture(format, picture).data());
    }
};

struct Rgb {
    int red, green, blue;
};
Rgb pixelAt(const RgbaImage& image, int x, int y);
void expectNear(Rgb actual, Rgb expected, int tolerance, const std::string& where);

inline constexpr float kBlack[3] = {0, 0, 0};

/// A tight format with an explicit colour space: BT.709 limited for Y'CbCr, full for RGB.
VideoFormat namedFormat(std::uint32_t width, std::uint32_t height, PixelFormat pixelFormat);

std::vector<PixelFormat> everyFormat();
/// Names the tests of a suite over everyFormat().
std::string formatTestName(const ::testing::TestParamInfo<PixelFormat>& info);

}  // namespace verbcast::testing
