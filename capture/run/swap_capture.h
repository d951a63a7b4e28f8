// Inside somebody else's program: takes what it shows, and sends it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "capture/run/run_settings.h"
#include "core/video/picture_changes.h"

namespace verbcast {

/// What is swapped. Size and window are asked for only when they are needed: they may cost a question to the
/// X server.
class SwapTarget {
  public:
    virtual ~SwapTarget() = default;
    /// The context that is current; null: none.
    virtual const void* context() const = 0;
    /// Tells surfaces apart.
    virtual std::uint64_t surface() const = 0;
    /// Width and height; 0 when they cannot be known.
    virtual std::pair<std::uint32_t, std::uint32_t> size() const = 0;
    /// The X window that shows it; 0: none that we know of.
    virtual std::uint32_t window() const = 0;
    /// Whether its swap may call presents().
    virtual bool mayPresentImages() const = 0;
    /// Where this picture differs from the one swapped before, as the program tells it: with rows counted
    /// from the bottom of a surface of any size.
    virtual PictureChanges changes() const { return PictureChanges::all(); }
};

/// A picture in memory that is being put into a window: four bytes a pixel, rows from the top.
struct PresentedImage {
    std::uint64_t window = 0;
    const std::byte* pixels = nullptr;
    std::size_t stride = 0;  ///< bytes from row to row
    std::uint32_t width = 0, height = 0;
};

/// The first surface that is swapped is sent, and no other. Calls come from the program's threads, one at a
/// time for one surface; nothing is thrown into the program, and a failure is told once on standard error,
/// after which the program runs on alone. Leaves the OpenGL state as it was, error flags included where
/// OpenGL is 3.2 or later.
///
/// Without a receiver a swap costs a look at a counter. With one, pictures are taken at most so often as
/// RunSettings::fps says. Under Policy::Latest none is taken when all slots are on their way, so that a slow
/// receiver never slows the program; under Policy::Lossless the swap waits for a slot.
/// A program that stops drawing before its last picture was taken is asked to draw again.
///
/// Pictures are read back by OpenGL; where that draws on the processors and hands its pictures to the X
/// server in memory, they are copied from there, once a comparison of both has shown that they are the same.
/// 1080p on llvmpipe: 0.8 ms a picture, against 2.6 in which glReadPixels sorts the bytes.
class SwapCapture {
  public:
    /// Never destroyed: see ProcessCapture.
    explicit SwapCapture(const RunSettings& settings);
    ~SwapCapture() = delete;
    SwapCapture(const SwapCapture&) = delete;
    SwapCapture& operator=(const SwapCapture&) = delete;

    /// True when presents() has to report this swap.
    bool beforeSwap(const SwapTarget& target) noexcept;
    /// Between the two, by the thread that swaps.
    void presents(const PresentedImage& image) noexcept;
    void afterSwap(const SwapTarget& target) noexcept;
    /// The program ends: what is on its way arrives, if that takes no longer than a second.
    void finish() noexcept;

  private:
    class Impl;
    std::atomic<Impl*> impl_;  // null: dropped after a failure, by any of the program's threads
};

}  // namespace verbcast
