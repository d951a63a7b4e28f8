// Releasing a device that is being removed: the kernel waits until no program has it open.
#pragma once

#include <infiniband/verbs.h>

#include <string_view>
#include <vector>

#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Marks something made with a device's context. Declare it before that, so that it is destroyed after it.
/// Any thread.
class DeviceUse {
  public:
    explicit DeviceUse(ibv_context* context);
    ~DeviceUse();
    DeviceUse(const DeviceUse&) = delete;
    DeviceUse& operator=(const DeviceUse&) = delete;

    /// The device is being removed: its context is closed once nothing uses it any more. A context that was
    /// never used, or is already closed, is not touched: it may be gone.
    static void deviceRemoved(ibv_context* context);
    static bool isRemoved(ibv_context* context);
    /// Contexts whose devices no longer exist. For those that nothing uses, this is the only notice.
    static std::vector<ibv_context*> ofMissingDevices();
    /// Those of the device with that node in /dev/infiniband.
    static std::vector<ibv_context*> ofNode(std::string_view node);

  private:
    ibv_context* const context_;
};

/// Notices devices that leave while nothing in this process uses them, so that rdma_cm has nobody to notify:
/// a listener on all devices does not count as using one. If the nodes in /dev/infiniband cannot be watched,
/// it notices nothing.
class GoneDevices {
  public:
    GoneDevices();
    /// Readable when left() may have news; negative if it never does.
    int descriptor() const { return inotify_.get(); }
    /// Contexts of devices that have left since the last call.
    std::vector<ibv_context*> left() const;

  private:
    UniqueFd inotify_;
};

}  // namespace verbcast
