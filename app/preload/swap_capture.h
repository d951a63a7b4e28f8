// Runs inside another program: takes the pictures that it shows and sends them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "app/preload/run_settings.h"
#include "core/video/picture_changes.h"

namespace verbcast {

/// The surface being swapped. Size and window are queried only when needed: they may cost a round trip to the
/// X server.
class SwapTarget {
  public:
    virtual ~SwapTarget() = default;
    /// The current context; null: none.
    virtual const void* context() const = 0;
    /// Identifies the surface.
    virtual std::uint64_t surface() const = 0;
    /// Width and height; 0 if unknown.
    virtual std::pair<std::uint32_t, std::uint32_t> size() const = 0;
    /// The X window that shows it; 0: none known.
    virtual std::uint32_t window() const = 0;
    /// Whether the current context reads from it.
    virtual bool isRead() const = 0;
    /// Whether its swap may call presents().
    virtual bool mayPresentImages() const = 0;
    /// Where this picture differs from the last one swapped, as the program tells, with rows counted from the
    /// bottom of a surface of any size.
    virtual PictureChanges changes() const { return PictureChanges::all(); }
};

/// A picture in memory that is being put into a window: four bytes per pixel, rows from the top.
struct PresentedImage {
    std::uint64_t window = 0;
    const std::byte* pixels = nullptr;
    std::size_t stride = 0;  ///< bytes from row to row
    std::uint32_t width = 0, height = 0;
};

/// Sends one surface: the first that is swapped until it is closed, or its window is hidden while another is
/// shown: a splash screen, or the window of which a program only asked what OpenGL can do. Then the next one
/// that is swapped. The program's threads call it, one at a time per surface. Never throws into the program:
/// a failure is reported once on standard error, and the program runs on without us. Leaves the OpenGL state
/// as it was, including error flags. Without a receiver a swap costs a look at a counter.
/// With one, pictures are taken at SendingOptions::rate at most. Under Policy::Latest none is taken while all
/// slots are on their way, so that a slow receiver never slows the program; under Policy::Lossless the swap
/// waits for a slot. A program that stops drawing before its last picture was taken is asked to draw again.
/// OpenGL reads the pictures back. But if it renders in software and hands its pictures to the X server in
/// memory, they are copied from there, once a comparison has shown that both are the same. 1080p on llvmpipe:
/// 0.8 ms per picture, against 2.6 ms for glReadPixels, which reorders the bytes.
class SwapCapture {
  public:
    /// Never destroyed: see ProcessCapture.
    explicit SwapCapture(const RunSettings& settings);
    ~SwapCapture() = delete;
    SwapCapture(const SwapCapture&) = delete;
    SwapCapture& operator=(const SwapCapture&) = delete;

    /// True if presents() must report this swap.
    bool beforeSwap(const SwapTarget& target) noexcept;
    /// Call between the two, on the thread that swaps.
    void presents(const PresentedImage& image) noexcept;
    void afterSwap(const SwapTarget& target) noexcept;
    /// Call before the program destroys a surface.
    void closed(std::uint64_t surface) noexcept;
    /// Call before it destroys an OpenGL context: another one may get its address.
    void contextDestroyed(const void* context) noexcept;
    /// Call before it ends the display of these surfaces, and of their contexts.
    void displayEnded(std::span<const std::uint64_t> surfaces) noexcept;
    /// Call when the program ends: pictures on their way have a second to arrive.
    void finish() noexcept;

  private:
    class Impl;
    std::atomic<Impl*> impl_;  // null: dropped after a failure, by any of the program's threads
};

}  // namespace verbcast
