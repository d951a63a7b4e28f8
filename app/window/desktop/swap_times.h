// When a buffer swap became visible.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/window/desktop/wayland_presentation.h"
#include "core/session/messages/frame_lock.h"
#include "core/stats/histogram.h"
#include "core/stats/screen_stats.h"

class QOpenGLContext;
class QWindow;

namespace verbcast {

/// Asks the display where it can tell: a Wayland compositor with wp_presentation, which reports later
/// (news()), or GLX with OML_sync_control. Elsewhere uses the time after the swap completed, on X11 in the
/// server. Belongs to the GUI thread; destroy before Qt's application.
class SwapTimes {
  public:
    struct Shown {
        TimestampNs at = 0;
        ShownBy by = ShownBy::Swap;
    };
    struct News {
        std::uint64_t swap = 0;
        std::optional<Shown> shown;  ///< nullopt: never seen, a later swap replaced it
    };

    /// Call before swapBuffers() of the window. Returns the number under which news() will report that swap,
    /// or nullopt if it will not: then call after().
    std::optional<std::uint64_t> before(QWindow& window);
    /// Call after swapBuffers() of `context`, which is current; `begun`: when swapBuffers() was called. Waits
    /// until the picture is shown.
    Shown after(QOpenGLContext& context, TimestampNs begun);

    /// Readable while there is news(). Valid once before() has returned a number.
    int descriptor() const { return wayland_->descriptor(); }
    /// In swap order.
    std::vector<News> news();

    /// Returns nullopt on platforms whose display only tells when asked.
    std::optional<WindowStats> stats() const;

  private:
    /// Without GLXDrawable and Display, so that their headers are not needed here.
    struct Oml {
        using CurrentDisplay = void* (*)();
        using CurrentDrawable = unsigned long (*)();
        using WaitForSbc = int (*)(void* display, unsigned long drawable, std::int64_t target,
                                   std::int64_t* ust, std::int64_t* msc, std::int64_t* sbc);
        CurrentDisplay display = nullptr;
        CurrentDrawable drawable = nullptr;
        WaitForSbc wait = nullptr;
    };
    struct Asked {
        std::uint64_t swap = 0;
        TimestampNs begun = 0;
        std::optional<WaylandPresentation::News> told{};
    };
    static std::optional<Oml> findOml(QOpenGLContext& context);
    void findWayland();
    News concluded(const Asked& asked);

    bool looked_ = false;
    std::optional<Oml> oml_;

    bool lookedForWayland_ = false;
    bool onWayland_ = false;
    bool silent_ = false;  ///< the compositor never answers
    std::unique_ptr<WaylandPresentation> wayland_;
    std::deque<Asked> asked_;  // oldest first
    WindowStats stats_;
    LatencyHistogram interval_, wait_;
    std::optional<TimestampNs> lastAt_;
};

}  // namespace verbcast
