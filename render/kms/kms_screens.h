// Displays without a window system: the modes and page flips of a graphics card (KMS), drawn on with OpenGL.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "render/kms/display_mode.h"

namespace verbcast {

/// Whether this program was built with what it takes, and with which versions, or why not.
struct KmsSupport {
    bool available = false;
    std::string detail;
};
KmsSupport kmsSupport();

/// All cards in /dev/dri that can show something. Empty without support. Asks displays for their modes, which
/// may take a moment.
std::vector<DisplayCard> displayCards();

struct KmsOptions {
    std::vector<std::string> connectors;  ///< see chooseConnectors()
    std::optional<ModeWish> mode{};       ///< of each; without, what each display prefers
    bool legacy = false;  ///< no atomic commits, even where the driver has them: for drivers that err
};

struct KmsScreenState {
    std::string connector;
    bool connected = false;  ///< a display is plugged in
    DisplayMode mode;        ///< while connected
    bool atomic = false;     ///< else legacy page flips
};

struct KmsNews {
    enum class What {
        Shown,      ///< what was drawn last is on the screen since `at`
        Plugged,    ///< a display came, or another one than before: draw again
        Unplugged,  ///< and took nothing with it: show() fails from now on
        Note,       ///< `text` is for people
    };
    What what = What::Shown;
    std::size_t screen = 0;
    TimestampNs at = 0;      ///< Shown: on nowNs()'s clock, as the driver tells
    bool byDisplay = false;  ///< Shown: by a page-flip event; else the time after the mode was set
    std::string text{};
};

/// Some connectors of one card. An OpenGL (3.3 core) context is current on the constructing thread from
/// construction to destruction, which has to use and destroy this; it draws for one screen at a time. What
/// the screens showed before is put back at the end.
class KmsScreens {
  public:
    /// Throws Error{Usage, Display} that says what to do: no card, another program is master of it, no
    /// permission, no such connector or mode.
    explicit KmsScreens(const KmsOptions& options);
    ~KmsScreens();
    KmsScreens(const KmsScreens&) = delete;
    KmsScreens& operator=(const KmsScreens&) = delete;

    std::size_t count() const;
    const KmsScreenState& state(std::size_t screen) const;
    /// Whether a picture may be drawn now: a display is there, and what was drawn last is on the screen.
    bool ready(std::size_t screen) const;

    /// From now on framebuffer 0 is that screen's next picture, of its mode's size. Only if ready(). Throws
    /// Error{Display}.
    void draw(std::size_t screen);
    /// Waits until what was drawn is finished, so that show() need not.
    void finishDrawing();
    /// What was drawn is shown at the display's next vertical blank: KmsNews::What::Shown follows. Does not
    /// wait for it, but in the first picture of a mode. Throws Error{Display} for what will not mend itself.
    void show(std::size_t screen);

    /// Readable when there is something to serve(), which is to be called at least every second.
    std::vector<int> descriptors() const;
    std::vector<KmsNews> serve();

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
