// Wayland desktops without a monitor, on which windows are shown.
#pragma once

#include <memory>
#include <string>

#include "tests/capture/wayland_session.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/x_screen.h"

namespace verbcast::testing {

/// The environment of this program and of what it starts from now on is that of the desktop. Throws
/// std::runtime_error when it does not start.
class WaylandDesktop {
  public:
    virtual ~WaylandDesktop() = default;
    virtual Picture screenshot() = 0;
    /// Presses and releases a key, by its XKB name, on a keyboard that is plugged in for it: a window that
    /// has not heard of that yet misses the key. Where there is no way to, false.
    virtual bool key(const std::string& name) = 0;
    /// Closes the window that has the focus, as its user does. Where there is no way to, false.
    virtual bool closeWindow() = 0;
    virtual std::string said() const = 0;
};

/// sway: wlroots, painted by pixman.
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
    TemporaryFolder folder_;  // of the windows: the session's is another user's, too
};

/// weston, painted by pixman.
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
