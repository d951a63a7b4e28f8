// Inside somebody else's program: reads back what it is about to show, and sends it.
#pragma once

#include <cstdint>
#include <memory>

#include "capture/run/run_settings.h"

namespace verbcast {

/// What is swapped: the context that is current, and the window or surface.
struct SwapTarget {
    const void* context = nullptr;
    std::uint64_t surface = 0;
    std::uint32_t width = 0, height = 0;
};

/// The first surface that is swapped is sent, and no other. Calls come from the program's threads, one at a
/// time for one surface; nothing is thrown into the program, and a failure is told once on standard error,
/// after which the program runs on alone. Leaves the OpenGL state as it was, error flags included where
/// OpenGL is 3.2 or later.
///
/// Without a receiver a swap costs a look at a counter. With one, pictures are taken at most so often as
/// RunSettings::fps says, and none when all slots are on their way: a slow receiver never slows the program.
class SwapCapture {
  public:
    explicit SwapCapture(const RunSettings& settings);
    ~SwapCapture();
    SwapCapture(const SwapCapture&) = delete;
    SwapCapture& operator=(const SwapCapture&) = delete;

    void beforeSwap(const SwapTarget& target) noexcept;
    void afterSwap(const SwapTarget& target) noexcept;
    /// The program ends: what is on its way arrives, if that takes no longer than a second.
    void finish() noexcept;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
