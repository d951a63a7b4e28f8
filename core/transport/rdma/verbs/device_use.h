// Letting go of a device that is being removed: the kernel waits until no program has it open.
#pragma once

#include <infiniband/verbs.h>

#include <string_view>
#include <vector>

#include "core/base/unique_fd.h"

namespace verbcast {

/// Something that was made with a device's context. Declared before it, so that it goes last. Any thread.
class DeviceUse {
  public:
    explicit DeviceUse(ibv_context* context);
    ~DeviceUse();
    DeviceUse(const DeviceUse&) = delete;
    DeviceUse& operator=(const DeviceUse&) = delete;

    /// The device leaves: once nothing uses the context any more, it is closed. Of a context that was never
    /// used, or is closed already, nothing is looked at: it may be gone.
    static void deviceRemoved(ibv_context* context);
    static bool isRemoved(ibv_context* context);
    /// Contexts whose devices are not there any more. Of those that nothing uses nobody else hears.
    static std::vector<ibv_context*> ofMissingDevices();
    /// Those of the device with that node in /dev/infiniband.
    static std::vector<ibv_context*> ofNode(std::string_view node);

  private:
    ibv_context* const context_;
};

/// Hears of devices that leave while nothing of this process is on them, so that rdma_cm has nobody to tell:
/// a listener on all devices is not. Where the nodes in /dev/infiniband cannot be watched it hears nothing.
class DeviceWatch {
  public:
    DeviceWatch();
    /// Readable when left() may know more; negative where it never does.
    int descriptor() const { return inotify_.get(); }
    /// Contexts of devices that have left since the last call.
    std::vector<ibv_context*> left() const;

  private:
    UniqueFd inotify_;
};

}  // namespace verbcast
