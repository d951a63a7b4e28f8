// A second pointer and keyboard on an X server, beside those that its user has.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "capture/screen/x_display.h"
#include "core/base/guard_process.h"

namespace verbcast {

/// Numbers of XInput 2 devices.
struct MasterPair {
    std::uint16_t pointer = 0, keyboard = 0;
};

/// A pair of master devices: the pointer has a cursor of its own and the keyboard a focus of its own, so that
/// what they do moves nobody else's pointer and types into nobody else's window. Programs get plain events
/// from them. A guard takes them away when this process is killed, and once the program that uses them has
/// ended, too. Should somebody kill the guard as well, the next pair on this host takes them away.
class OwnMasterPair {
  public:
    /// On $DISPLAY. Forks. Throws Error{Display} when there is none, or it has no XInput 2 or no XTEST.
    OwnMasterPair();
    /// Removes them; keys and buttons that they hold are released.
    ~OwnMasterPair();
    OwnMasterPair(const OwnMasterPair&) = delete;
    OwnMasterPair& operator=(const OwnMasterPair&) = delete;

    const MasterPair& devices() const { return devices_; }
    /// The guard leaves the devices to this process as long as it lives. A child that has not been waited
    /// for.
    void usedBy(pid_t program) const;

  private:
    XDisplay display_;
    const std::string name_;  // of the devices, with which nobody else's begin
    MasterPair devices_;
    GuardProcess guard_;  // begun before there are devices
};

}  // namespace verbcast
