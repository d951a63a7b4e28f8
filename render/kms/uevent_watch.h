// Hears from the kernel when something is plugged in or out.
#pragma once

#include "core/base/os/clock.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Reads the kernel's own messages (netlink), as udev does; needs no daemon. If it cannot hear them, as in
/// some containers, it asks for a look every few seconds.
class UeventWatch {
  public:
    UeventWatch();
    /// Readable when there is something to read; -1: never.
    int descriptor() const { return socket_.get(); }
    /// Reads the pending messages. True: check the outputs of graphics cards.
    bool drmChanged();

  private:
    UniqueFd socket_;
    TimestampNs lookedAt_ = 0;
};

}  // namespace verbcast
