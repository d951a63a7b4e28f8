// A Wayland desktop without a monitor: a compositor, its ScreenCast portal and PipeWire, all of its own, and
// what its screen shows, as grim sees it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/x_screen.h"

namespace verbcast::testing {

struct WaylandOptions {
    /// A shell command that prints the name of the output which a person would have chosen, or nothing to
    /// decline; "" asks nobody.
    std::string chooser;
    bool portal = true;
};

/// The environment of this program and of what it starts from now on is that of the session. Ends with this
/// object. Throws std::runtime_error when a part does not start.
class WaylandSession {
  public:
    static constexpr int kWidth = 640, kHeight = 480;

    /// The programs that are not installed here; "" when all are.
    static std::string missingPrograms();

    explicit WaylandSession(const WaylandOptions& options = {});
    ~WaylandSession();
    WaylandSession(const WaylandSession&) = delete;
    WaylandSession& operator=(const WaylandSession&) = delete;

    std::string file(const std::string& name) const { return folder_.file(name); }

    /// Has the compositor carry out a command of its own (sway-output(5), sway(5)).
    void command(const std::string& text) const;
    void showPicture(const Picture& picture);
    /// Everything that the output shows, turned as a person sees it.
    Picture grim(bool withPointer = true) const;

    /// Ends the compositor now, as a crash would.
    void endCompositor();
    /// What all the session's programs have said.
    std::string said() const;

  private:
    void setEnvironment() const;
    void writeFiles(const WaylandOptions& options) const;
    void startBus();
    void startCompositor();
    void startPipeWire();
    void startBackend();

    TemporaryFolder folder_;
    int pictures_ = 0;
    std::unique_ptr<ChildProcess> bus_;  // starts the portal when it is called
    std::unique_ptr<ChildProcess> compositor_;
    std::unique_ptr<ChildProcess> pipeWire_;
    std::unique_ptr<ChildProcess> sessionManager_;
    std::unique_ptr<ChildProcess> backend_;  // the portal's part for this compositor
};

}  // namespace verbcast::testing
