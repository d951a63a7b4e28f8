// A second pointer and keyboard on an X server, besides its user's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "capture/screen/x_display.h"
#include "core/base/os/guard_process.h"

namespace verbcast {

/// XInput 2 device numbers.
struct MasterPair {
    std::uint16_t pointer = 0, keyboard = 0;
};

/// A pair of master devices. Their pointer has its own cursor and their keyboard its own focus, so that they
/// never move another pointer or type into another window. Programs get ordinary events from them. A guard
/// removes them once this process was killed and the program that uses them has ended, too. If the guard is
/// killed as well, the next pair created on this host removes them.
class OwnMasterPair {
  public:
    /// Creates them on $DISPLAY. Forks. Throws Error{Display} if it is missing or lacks XInput 2 or XTEST.
    OwnMasterPair();
    /// Removes them, which releases the keys and buttons that they hold.
    ~OwnMasterPair();
    OwnMasterPair(const OwnMasterPair&) = delete;
    OwnMasterPair& operator=(const OwnMasterPair&) = delete;

    const MasterPair& devices() const { return devices_; }
    /// Makes the guard keep the devices while `program` lives, a child that has not been waited for.
    void usedBy(pid_t program) const;

  private:
    XDisplay display_;
    const std::string name_;  // of the devices; unique to this process
    MasterPair devices_;
    GuardProcess guard_;  // started before the devices exist
};

}  // namespace verbcast
