// Reports when a Wayland compositor has shown a surface's commit (wp_presentation).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/clock.h"

struct wl_display;
struct wl_surface;

namespace verbcast {

/// Returns what this program was built without that this needs; "" if nothing.
std::string waylandPresentationMissing();

/// Converts `at` on clock `clock` (a clockid_t) to nowNs() time. Returns nullopt if that clock cannot be
/// read.
std::optional<TimestampNs> fromClock(std::uint32_t clock, TimestampNs at);

/// Not thread-safe.
class WaylandPresentation {
  public:
    struct News {
        std::uint64_t commit = 0;                ///< number from ask()
        std::optional<TimestampNs> shownAt;      ///< on nowNs()'s clock; nullopt: never shown
        TimestampNs refresh = 0;                 ///< time between refreshes of the output; 0: unknown
        std::uint64_t refreshes = 0;             ///< the output's refresh counter; 0: it has none
        bool vsync = false, byHardware = false;  ///< no tearing; the hardware reported the time
    };

    WaylandPresentation() = default;
    virtual ~WaylandPresentation() = default;
    WaylandPresentation(const WaylandPresentation&) = delete;
    WaylandPresentation& operator=(const WaylandPresentation&) = delete;

    /// Requests feedback for the next commit to `surface`; news() reports it under the number returned, from
    /// 1. Commits are reported in any order.
    virtual std::uint64_t ask(wl_surface* surface) = 0;
    /// Readable while there is news().
    virtual int descriptor() const = 0;
    /// Returns what has come since; does not wait.
    virtual std::vector<News> news() = 0;
};

/// Asks the compositor what it offers and waits for the answer. Events arrive on a queue of their own, read
/// by a thread of their own beside other readers of the same connection. `display` must outlive the result.
/// Throws Error{Display} saying why no times are available.
std::unique_ptr<WaylandPresentation> makeWaylandPresentation(wl_display* display);

}  // namespace verbcast
