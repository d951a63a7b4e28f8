// A PipeWire of the test's own, which links streams and knows none of this machine's devices.
#pragma once

#include <memory>
#include <string>

#include "core/base/os/unique_fd.h"
#include "tests/support/child_process.h"

namespace verbcast::testing {

/// $XDG_RUNTIME_DIR names the folder of its socket, and is set before. Ends with this object.
class PipeWireDaemon {
  public:
    /// Throws std::runtime_error if it does not start.
    explicit PipeWireDaemon(const std::string& runtimeFolder);
    ~PipeWireDaemon();
    PipeWireDaemon(const PipeWireDaemon&) = delete;
    PipeWireDaemon& operator=(const PipeWireDaemon&) = delete;

    /// The programs that it needs and that are not installed; "" if all are.
    static std::string missingPrograms();

    /// A new connection, as a portal hands one out.
    UniqueFd connect() const;
    std::string said() const;

  private:
    std::string socket_;
    std::unique_ptr<ChildProcess> daemon_;
    std::unique_ptr<ChildProcess> sessionManager_;
};

}  // namespace verbcast::testing
