// A second pointer and keyboard on an X server, beside those that its user has.
#pragma once

#include <cstdint>

#include "capture/screen/x_display.h"

namespace verbcast {

/// Numbers of XInput 2 devices.
struct MasterPair {
    std::uint16_t pointer = 0, keyboard = 0;
};

/// A pair of master devices: the pointer has a cursor of its own and the keyboard a focus of its own, so that
/// what they do moves nobody else's pointer and types into nobody else's window. Programs get plain events
/// from them. They would outlive us on the server: pairs that a killed process of this host has left are
/// taken away first.
class OwnMasterPair {
  public:
    /// On $DISPLAY. Throws Error{Display} when there is none, or it has no XInput 2 or no XTEST.
    OwnMasterPair();
    /// Takes them away; what they held is let go.
    ~OwnMasterPair();
    OwnMasterPair(const OwnMasterPair&) = delete;
    OwnMasterPair& operator=(const OwnMasterPair&) = delete;

    const MasterPair& devices() const { return devices_; }

  private:
    XDisplay display_;
    MasterPair devices_;
};

}  // namespace verbcast
