#include "app/preload/presented_picture.h"

#include <epoxy/gl.h>

#include <cstring>
#include <utility>

namespace verbcast {
namespace {

constexpr std::uint32_t kOpaque = 0xFF000000;
/// Gives up after this many pictures that prove nothing, such as all-black ones.
constexpr int kMaxCompared = 32;
/// A window resized between asking for its size and showing it causes one or two.
constexpr int kMaxFailed = 3;

bool coloured(std::uint32_t pixel) {
    return (pixel & 0xFF) != (pixel >> 16 & 0xFF);
}

}  // namespace

void PresentedPicture::expectDrawn() {
    drawn_.resize(std::size_t{width_} * height_);
    glReadPixels(0, 0, static_cast<GLsizei>(width_), static_cast<GLsizei>(height_), GL_BGRA,
                 GL_UNSIGNED_INT_8_8_8_8_REV, drawn_.data());
    expected_ = true;
}

void PresentedPicture::expectInto(FrameLease&& lease, std::size_t offset, std::size_t stride,
                                  const ReadbackStamp& stamp) {
    frame_ = {std::move(lease), stamp, false};
    offset_ = offset;
    stride_ = stride;
    expected_ = true;
}

void PresentedPicture::presents(const PresentedImage& image) {
    // A picture drawn in tiles may have rows and columns beyond the window.
    if (!expected_ || came_ || image.window != window_ || image.width < width_ || image.height < height_) {
        return;
    }
    came_ = true;
    if (proven()) {
        copy(image);
    } else {
        compare(image);
    }
}

void PresentedPicture::compare(const PresentedImage& image) {
    bool anyColoured = false, differsTurned = false;
    for (std::uint32_t row = 0; row < height_; ++row) {
        const std::uint32_t* drawn = drawn_.data() + std::size_t{height_ - 1 - row} * width_;
        const std::uint32_t* turned = drawn_.data() + std::size_t{row} * width_;
        for (std::uint32_t x = 0; x < width_; ++x) {
            std::uint32_t shown = 0;
            std::memcpy(&shown, image.pixels + row * image.stride + x * sizeof shown, sizeof shown);
            if ((shown | kOpaque) != (drawn[x] | kOpaque)) {
                fail();
                return;
            }
            anyColoured = anyColoured || coloured(shown);
            differsTurned = differsTurned || drawn[x] != turned[x];
        }
    }
    if (anyColoured && differsTurned) {
        way_ = Way::Proven;
        compared_ = failed_ = 0;
        drawn_ = {};
    } else if (++compared_ == kMaxCompared) {
        way_ = Way::Unusable;
    }
}

void PresentedPicture::fail() {
    way_ = ++failed_ < kMaxFailed ? Way::Unproven : Way::Unusable;
}

void PresentedPicture::copy(const PresentedImage& image) {
    std::byte* const target = frame_.lease.data() + offset_;
    for (std::uint32_t row = 0; row < height_; ++row) {
        const auto* from = reinterpret_cast<const std::uint32_t*>(image.pixels + row * image.stride);
        auto* to = reinterpret_cast<std::uint32_t*>(target + row * stride_);
        for (std::uint32_t x = 0; x < width_; ++x) {
            to[x] = from[x] | kOpaque;
        }
    }
}

std::optional<ReadbackFrame> PresentedPicture::swapped() {
    const bool expected = std::exchange(expected_, false), came = std::exchange(came_, false);
    if (expected && !came) {
        fail();
    }
    const bool taken = came && static_cast<bool>(frame_.lease);
    ReadbackFrame frame = std::exchange(frame_, {});
    return taken ? std::optional(std::move(frame)) : std::nullopt;
}

}  // namespace verbcast
