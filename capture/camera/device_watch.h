// Waiting until something happens to a device's node, without asking again and again.
#pragma once

#include <chrono>
#include <string>

#include "core/base/event.h"
#include "core/base/unique_fd.h"

namespace verbcast {

/// Sees nodes come, go and change permissions in the folder of a path (inotify). While that folder does not
/// exist (/dev/v4l/by-id without a camera), it watches the nearest one above that does. Used by one thread.
class DeviceWatch {
  public:
    /// Watches from here on. Throws Error{Resource}.
    explicit DeviceWatch(std::string path);

    /// Waits until something happened since the watch or the last wait(). Look at the device before the first
    /// wait. Ok, Cancelled, or TimedOut; the largest timeout waits without end.
    Status wait(std::chrono::nanoseconds timeout, const Event& cancel);

  private:
    void watchFolder();

    std::string path_;
    UniqueFd fd_;
};

}  // namespace verbcast
