// A simulated machine: files for a SystemTree, and RDMA devices as libibverbs would list them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "app/commands/doctor/checks/checks.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {

class MadeUpMachine {
  public:
    /// Writes a file and creates its parent folders.
    void file(const std::string& absolute, const std::string& text) const;
    /// Creates a symbolic link; its target need not exist.
    void link(const std::string& absolute, const std::string& target) const;
    void remove(const std::string& absolute) const;
    SystemTree tree() const { return SystemTree(folder_.path()); }

  private:
    TemporaryFolder folder_;
};

/// mlx5_0, one active RoCE port of 100 Gb/s at full MTU on ens1 with 10.0.0.1, in a PCIe 4.0 x16 slot.
class RoceMachine : public MadeUpMachine {
  public:
    RoceMachine();
    RdmaDevice& device() { return findings.devices.front(); }
    RdmaPort& port() { return device().ports.front(); }

    RdmaFindings findings;
};

/// 3840x2160 rgba at 60 fps unless told otherwise.
StreamNeed needOf(std::uint32_t width = 3840, std::uint32_t height = 2160,
                  PixelFormat format = PixelFormat::rgba, int fps = 60);

/// The check of this name; a test failure unless there is exactly one. Returns an empty check if there is
/// none.
Check only(const Checks& checks, const std::string& name);

/// Compares the state and looks for parts of the finding and the remedy ("": no remedy).
::testing::AssertionResult is(const Check& check, CheckState state, const std::string& seen,
                              const std::string& remedy = "");

/// Each check has a name and a finding; warnings and failures have a remedy.
void expectComplete(const Checks& checks);

}  // namespace verbcast::testing
