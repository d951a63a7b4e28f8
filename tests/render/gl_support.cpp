#include "tests/render/gl_support.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/error.h"
#include "tests/support/required_package.h"

namespace verbcast::testing {
namespace {

int addName(dl_phdr_info* library, std::size_t, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(library->dlpi_name);
    return 0;
}

/// Drivers unload with their last context. The leak sanitizer would then report what their globals held.
void keepDriverLoaded() {
    std::vector<std::string> names;
    dl_iterate_phdr(addName, &names);
    for (const auto& name : names) {
        dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

}  // namespace

void GlTest::SetUp() {
    try {
        context_ = std::make_unique<OffscreenContext>();
        keepDriverLoaded();
    } catch (const Error& error) {
        SKIP_FOR_WANT_OF_A_PACKAGE() << "SKIPPED, no OpenGL here: " << error.what() << "\n" << error.remedy();
    }
}

void GlTest::TearDown() {
    if (context_) {
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    }
}

Canvas::Canvas(int width, int height)
    : width_(width), height_(height), texture_(GlTexture::create()), framebuffer_(GlFramebuffer::create()) {
    glBindTexture(GL_TEXTURE_2D, texture_.get());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindTexture(GL_TEXTURE_2D, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.get(), 0);
}

Canvas::Canvas(OffscreenContext& context, int width, int height) : width_(width), height_(height) {
    context.makeFramebuffer(width, height);
    GLint alphaBits = 0;
    glGetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, GL_BACK_LEFT,
                                          GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE, &alphaBits);
    EXPECT_EQ(alphaBits, 0) << "windows have none, and are drawn into in another way";
}

RgbaImage Canvas::read() const {
    RgbaImage image{static_cast<std::uint32_t>(width_), static_cast<std::uint32_t>(height_), {}};
    const std::size_t rowBytes = std::size_t{4} * image.width;
    image.pixels.resize(rowBytes * image.height);
    glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, image.pixels.data());
    for (std::size_t row = 0; row < image.height / 2; ++row) {  // OpenGL's rows start at the bottom
        std::swap_ranges(
            image.pixels.begin() + static_cast<std::ptrdiff_t>(row * rowBytes),
            image.pixels.begin() + static_cast<std::ptrdiff_t>((row + 1) * rowBytes),
            image.pixels.begin() + static_cast<std::ptrdiff_t>((image.height - 1 - row) * rowBytes));
    }
    return image;
}

Rgb pixelAt(const RgbaImage& image, int x, int y) {
    const auto* pixel = &image.pixels.at(
        4 * (std::size_t{image.width} * static_cast<unsigned>(y) + static_cast<unsigned>(x)));
    return {pixel[0], pixel[1], pixel[2]};
}

void expectNear(Rgb actual, Rgb expected, int tolerance, const std::string& where) {
    EXPECT_TRUE(std::abs(actual.red - expected.red) <= tolerance &&
                std::abs(actual.green - expected.green) <= tolerance &&
                std::abs(actual.blue - expected.blue) <= tolerance)
        << where << ": " << actual.red << " " << actual.green << " " << actual.blue << " instead of "
        << expected.red << " " << expected.green << " " << expected.blue;
}

VideoFormat namedFormat(std::uint32_t width, std::uint32_t height, PixelFormat pixelFormat) {
    auto format = tightFormat(width, height, pixelFormat);
    const bool rgb = pixelFormatInfo(pixelFormat).rgb;
    format.colour = {.primaries = 1,
                     .transfer = 1,
                     .matrix = static_cast<std::uint8_t>(rgb ? 0 : 1),
                     .fullRange = rgb,
                     .chromaLocation = 0};
    return format;
}

std::vector<PixelFormat> everyFormat() {
    std::vector<PixelFormat> formats;
    for (const auto& info : allPixelFormats()) {
        formats.push_back(info.format);
    }
    return formats;
}

std::string formatTestName(const ::testing::TestParamInfo<PixelFormat>& info) {
    return std::string(pixelFormatName(info.param));
}

}  // namespace verbcast::testing
