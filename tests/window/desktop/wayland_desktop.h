// Wayland desktops without a monitor, for testing windows.
#pragma once

#include <memory>
#include <string>

#include "tests/capture/screen/wayland_session.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/x_screen.h"

namespace verbcast::testing {

/// Sets the environment of this program and its children to the desktop's. Throws std::runtime_error if the
/// desktop does not start.
class WaylandDesktop {
  public:
    virtual ~WaylandDesktop() = default;
    virtual Picture screenshot() = 0;
    /// Presses and releases a key, given by XKB name, on a keyboard plugged in for it: a window that has not
    /// yet noticed the keyboard misses the key. Returns false if the desktop does not support this.
    virtual bool key(const std::string& name) = 0;
    /// Closes the focused window as a user would. Returns false if the desktop does not support this.
    virtual bool closeWindow() = 0;
    virtual std::string said() const = 0;
};

/// sway: wlroots, rendered by pixman.
class SwayDesktop final : public WaylandDesktop {
  public:
    static std::string missingPrograms();

    SwayDesktop();
    Picture screenshot() override { return session_.grim(false); }
    bool key(const std::string& name) override;
    bool closeWindow() override;
    std::string said() const override { return session_.said(); }

  private:
    WaylandSession session_{{.chooser = "", .portal = false}};
    TemporaryFolder folder_;  // for the windows: the session's folder has another owner
};

/// weston, rendered by pixman.
class WestonDesktop final : public WaylandDesktop {
  public:
    static std::string missingPrograms();

    WestonDesktop();
    Picture screenshot() override;
    bool key(const std::string& /*name*/) override { return false; }
    bool closeWindow() override { return false; }
    std::string said() const override { return compositor_->errors(); }

  private:
    TemporaryFolder folder_;
    std::unique_ptr<ChildProcess> compositor_;
};

}  // namespace verbcast::testing
