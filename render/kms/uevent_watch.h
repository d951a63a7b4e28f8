// Hears from the kernel that something was plugged in or out.
#pragma once

#include "core/base/clock.h"
#include "core/base/unique_fd.h"

namespace verbcast {

/// The kernel's own messages (netlink), as udev hears them; no daemon is needed. Where they cannot be heard,
/// as in some containers, it is time to look every few seconds.
class UeventWatch {
  public:
    UeventWatch();
    /// Readable when there is something to read; -1: never.
    int descriptor() const { return socket_.get(); }
    /// Reads what has come. True when the outputs of graphics cards are to be looked at.
    bool drmChanged();

  private:
    UniqueFd socket_;
    TimestampNs lookedAt_ = 0;
};

}  // namespace verbcast
