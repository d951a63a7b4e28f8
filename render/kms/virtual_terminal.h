// The console of a program without a desktop, and who has the displays when the user switches consoles.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/base/os/unique_fd.h"

namespace verbcast {

/// The virtual terminal of standard input, or else the controlling terminal. While this object lives, the
/// kernel asks with SIGUSR1 and SIGUSR2 before it shows another one (Ctrl-Alt-F2, chvt), and waits until the
/// displays are given up. One instance at a time per process. Not thread-safe.
class VirtualTerminal {
  public:
    /// Null if there is no such terminal, as over ssh, or if the kernel refuses: then `problem` says why.
    static std::unique_ptr<VirtualTerminal> own(std::string& problem);
    /// Lets the kernel show others without asking again.
    ~VirtualTerminal();

    /// Readable when the kernel has asked something.
    int descriptor() const;

    enum class Asked {
        Nothing,
        Leave,   ///< another one is to be shown: call leave() once the displays are given up
        Return,  ///< this one is shown again
    };
    /// The kernel's next request; stays Leave until leave() is called.
    Asked asked();
    /// Lets the other one be shown. False if the kernel no longer wants that.
    bool leave();

  private:
    explicit VirtualTerminal(UniqueFd terminal) : terminal_(std::move(terminal)) {}

    UniqueFd terminal_;
    bool left_ = false;
};

}  // namespace verbcast
