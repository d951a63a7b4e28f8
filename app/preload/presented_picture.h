// Takes pictures where software OpenGL hands them to the X server, instead of reading them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/preload/swap_capture.h"
#include "render/readback/frame_readback.h"

namespace verbcast {

/// Takes pictures of one opaque window at one size, as bgra. Trusts nothing: takes them only after one
/// presented picture was equal to what OpenGL says it drew. That picture must tell the order of rows and
/// bytes: it differs from itself upside down, and some pixel has unequal red and blue. Use from the thread
/// that swaps. Around each swap: expect...(), presents(), swapped().
class PresentedPicture {
  public:
    /// If not `possible`, it is never proven.
    PresentedPicture(bool possible, std::uint64_t window, std::uint32_t width, std::uint32_t height)
        : way_(possible ? Way::Unproven : Way::Unusable), window_(window), width_(width), height_(height) {}

    /// Whether expectDrawn() can still prove it.
    bool unproven() const { return way_ == Way::Unproven; }
    bool proven() const { return way_ == Way::Proven; }

    /// Compares the next picture with the bound read framebuffer. Pixel-store state must be the default.
    void expectDrawn();
    /// Takes the next picture into the slot of `lease`. Call only when proven.
    void expectInto(FrameLease&& lease, std::size_t offset, std::size_t stride, const ReadbackStamp& stamp);

    bool expected() const { return expected_; }
    void presents(const PresentedImage& image);

    /// The expected picture, if it came. Gives up after a few that did not come or differed.
    std::optional<ReadbackFrame> swapped();

  private:
    enum class Way { Unproven, Proven, Unusable };

    void compare(const PresentedImage& image);
    void fail();
    void copy(const PresentedImage& image);

    Way way_;
    std::uint64_t window_;
    std::uint32_t width_, height_;
    bool expected_ = false, came_ = false;
    int compared_ = 0, failed_ = 0;     // since last proven
    std::vector<std::uint32_t> drawn_;  // rows from the bottom; only while unproven
    ReadbackFrame frame_;
    std::size_t offset_ = 0, stride_ = 0;
};

}  // namespace verbcast
