// An X server without a monitor.
#pragma once

#include <string>
#include <vector>

#include "tests/support/child_process.h"

namespace verbcast::testing {

/// Xvfb on a free display. Ends with this object.
class Xvfb {
  public:
    /// `screen`: "640x480x24"; `more`: further options of Xvfb. Throws std::runtime_error on failure.
    explicit Xvfb(const std::string& screen, const std::vector<std::string>& more = {});

    /// ":7"
    const std::string& display() const { return display_; }

    /// Ends it now, as a crash would.
    void end() { process_.kill(); }

  private:
    ChildProcess process_;
    std::string display_;
};

}  // namespace verbcast::testing
