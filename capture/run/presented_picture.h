// Pictures taken where software OpenGL hands them to the X server, instead of being read back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "capture/run/swap_capture.h"
#include "render/frame_readback.h"

namespace verbcast {

/// Pictures of one opaque window at one size, as bgra. Nothing is taken on trust: only after a presented
/// picture was equal to what OpenGL says it drew are others taken. It must be one that tells the order of
/// rows and bytes: it looks different upside down, and some pixel has more of red or of blue. Belongs to the
/// thread that swaps. Around each swap: expect...(), presents(), swapped().
class PresentedPicture {
  public:
    /// Not possible: never proven.
    PresentedPicture(bool possible, std::uint64_t window, std::uint32_t width, std::uint32_t height)
        : way_(possible ? Way::Unproven : Way::Unusable), window_(window), width_(width), height_(height) {}

    /// Whether expectDrawn() may prove it.
    bool unproven() const { return way_ == Way::Unproven; }
    bool proven() const { return way_ == Way::Proven; }

    /// The next picture is compared with what the bound read framebuffer holds. Pixel-store state is default.
    void expectDrawn();
    /// The next picture goes into the slot of `lease`. Only when proven.
    void expectInto(FrameLease&& lease, std::size_t offset, std::size_t stride, const ReadbackStamp& stamp);

    bool expected() const { return expected_; }
    void presents(const PresentedImage& image);

    /// The picture that was expected, if it came. A few that did not, or were others, and it is given up.
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
    int compared_ = 0, failed_ = 0;     // since it was last proven
    std::vector<std::uint32_t> drawn_;  // rows from the bottom; while unproven
    ReadbackFrame frame_;
    std::size_t offset_ = 0, stride_ = 0;
};

}  // namespace verbcast
