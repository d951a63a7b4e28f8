// Shows pictures on displays without a window system: mode setting and page flips (KMS), drawn with OpenGL.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/clock.h"
#include "render/kms/display_mode.h"

namespace verbcast {

/// Whether this program was built with KMS support, with the libraries' versions or why not.
struct KmsSupport {
    bool available = false;
    std::string detail;
};
KmsSupport kmsSupport();

/// All cards in /dev/dri that can show pictures; empty without support. Asks displays for their modes, which
/// may take a moment.
std::vector<DisplayCard> displayCards();

struct KmsOptions {
    std::vector<std::string> connectors;  ///< see chooseConnectors()
    std::optional<ModeWish> mode{};       ///< for each display; unset: its preferred mode
    bool legacy = false;  ///< no atomic commits even if the driver has them: for faulty drivers
};

struct KmsScreenState {
    std::string connector;
    bool connected = false;  ///< a display is plugged in and ours to use
    DisplayMode mode;        ///< while connected
    bool atomic = false;     ///< false: legacy page flips
};

struct KmsNews {
    enum class What {
        Shown,      ///< the last picture drawn is on the screen since `at`
        Plugged,    ///< a new or different display: draw again
        Unplugged,  ///< the display is gone: show() fails from now on
        Away,       ///< another console has the display: like Unplugged, until Plugged
        Note,       ///< `text` is for the user
    };
    What what = What::Shown;
    std::size_t screen = 0;
    TimestampNs at = 0;      ///< Shown: time on nowNs()'s clock, from the driver
    bool byDisplay = false;  ///< Shown: from a page-flip event; false: the time after the mode was set
    std::string text{};
};

/// Some connectors of one card. Its OpenGL (3.3 core) context is current on the constructing thread, which
/// must also use and destroy this; it draws for one screen at a time. The screens' previous contents are
/// restored at the end, and while another console is shown, so that its programs may use them.
class KmsScreens {
  public:
    /// Throws Error{Usage, Display} with the remedy: no card, another program is its master, no permission,
    /// no such connector or mode.
    explicit KmsScreens(const KmsOptions& options);
    ~KmsScreens();

    std::size_t count() const;
    const KmsScreenState& state(std::size_t screen) const;
    /// Whether a picture may be drawn now: a display is there, and the last picture is on the screen.
    bool ready(std::size_t screen) const;

    /// Makes framebuffer 0 that screen's next picture, in its mode's size. Call only if ready(). Throws
    /// Error{Display}.
    void draw(std::size_t screen);
    /// Waits until the drawing is finished, so that show() need not.
    void finishDrawing();
    /// Shows the picture at the display's next vertical blank; KmsNews::What::Shown follows. Waits for it
    /// only for the first picture of a mode. Throws Error{Display} for lasting failures.
    void show(std::size_t screen);

    /// Readable when there is something to serve(). Call serve() at least every second.
    std::vector<int> descriptors() const;
    std::vector<KmsNews> serve();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace verbcast
