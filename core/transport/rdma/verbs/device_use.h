// Letting go of a device that is being removed: the kernel waits until no program has it open.
#pragma once

#include <infiniband/verbs.h>

#include <vector>

namespace verbcast {

/// Something that was made with a device's context. Declared before it, so that it goes last. Any thread.
class DeviceUse {
  public:
    explicit DeviceUse(ibv_context* context);
    ~DeviceUse();
    DeviceUse(const DeviceUse&) = delete;
    DeviceUse& operator=(const DeviceUse&) = delete;

    /// The device leaves: once nothing uses the context any more, it is closed.
    static void deviceRemoved(ibv_context* context);
    static bool isRemoved(ibv_context* context);
    /// Contexts whose devices are not there any more. Of those that nothing uses nobody else hears.
    static std::vector<ibv_context*> ofMissingDevices();

  private:
    ibv_context* const context_;
};

}  // namespace verbcast
