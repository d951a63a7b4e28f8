// A Wayland desktop without a monitor: a compositor, its ScreenCast portal and PipeWire of its own, and its
// screen content according to grim.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/capture/screen/portal/pipewire_daemon.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/x_screen.h"

namespace verbcast::testing {

struct WaylandOptions {
    /// A shell command that prints the name of the output that the user chooses, or nothing to decline; ""
    /// shows no dialog.
    std::string chooser;
    bool portal = true;
};

/// While this object exists, this program and those it starts use the session's environment. Throws
/// std::runtime_error if a part does not start.
class WaylandSession {
  public:
    static constexpr int kWidth = 640, kHeight = 480;

    /// The programs that are not installed; "" if all are.
    static std::string missingPrograms();

    explicit WaylandSession(const WaylandOptions& options = {});
    ~WaylandSession();
    WaylandSession(const WaylandSession&) = delete;
    WaylandSession& operator=(const WaylandSession&) = delete;

    std::string file(const std::string& name) const { return folder_.file(name); }

    /// Makes the compositor run one of its commands (sway-output(5), sway(5)).
    void command(const std::string& text) const;
    void showPicture(const Picture& picture);
    /// The whole output, rotated as the user sees it.
    Picture grim(bool withPointer = true) const;

    /// Kills the compositor now, as a crash would.
    void endCompositor();
    /// The output of all programs of the session.
    std::string said() const;

  private:
    void setEnvironment() const;
    void writeFiles(const WaylandOptions& options) const;
    void startBus();
    void startCompositor();
    void startBackend();

    TemporaryFolder folder_;
    int pictures_ = 0;
    std::unique_ptr<ChildProcess> bus_;  // starts the portal on the first call
    std::unique_ptr<ChildProcess> compositor_;
    std::unique_ptr<PipeWireDaemon> pipeWire_;
    std::unique_ptr<ChildProcess> backend_;  // the portal's backend for this compositor
};

}  // namespace verbcast::testing
