// When a swap of buffers became visible.
#pragma once

#include <cstdint>
#include <optional>

#include "core/session/messages/together.h"

class QOpenGLContext;

namespace verbcast {

/// Asks the display where it tells: GLX with OML_sync_control. Elsewhere it is the time after the swap has
/// completed, on X11 in the server. Belongs to the GUI thread.
class SwapTimes {
  public:
    struct Shown {
        TimestampNs at = 0;
        ShownBy by = ShownBy::Swap;
    };
    /// After swapBuffers() of `context`, which is current; `begun`: when that was called. Waits until the
    /// picture is shown.
    Shown after(QOpenGLContext& context, TimestampNs begun);

  private:
    /// GLXDrawable and Display are not declared here: their headers are others'.
    struct Oml {
        using CurrentDisplay = void* (*)();
        using CurrentDrawable = unsigned long (*)();
        using WaitForSbc = int (*)(void* display, unsigned long drawable, std::int64_t target,
                                   std::int64_t* ust, std::int64_t* msc, std::int64_t* sbc);
        CurrentDisplay display = nullptr;
        CurrentDrawable drawable = nullptr;
        WaitForSbc wait = nullptr;
    };
    static std::optional<Oml> findOml(QOpenGLContext& context);

    bool looked_ = false;
    std::optional<Oml> oml_;
};

}  // namespace verbcast
