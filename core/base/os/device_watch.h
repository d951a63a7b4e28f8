// Waits for changes of a device's node, or a socket's, without polling.
#pragma once

#include <chrono>
#include <string>

#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Sees nodes appear, disappear and change permissions in the folder of a path (inotify). While that folder
/// does not exist (/dev/v4l/by-id without a camera), watches its nearest existing parent. Used by one thread.
class DeviceWatch {
  public:
    /// Starts watching. Throws Error{Resource}.
    explicit DeviceWatch(const std::string& path);

    /// Waits for a change since construction or the last wait(). Check the device before the first wait.
    /// Returns Ok, Cancelled or TimedOut; the maximum timeout waits forever.
    Status wait(std::chrono::nanoseconds timeout, const Event& cancel);

    /// For an event loop: readable after a change, until clear().
    int descriptor() const { return fd_.get(); }
    void clear();

  private:
    void watchFolder();

    std::string path_;
    UniqueFd fd_;
};

}  // namespace verbcast
