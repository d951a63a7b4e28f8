// A graphics card in the kernel's mode setting (KMS).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/os/unique_fd.h"
#include "render/kms/display_mode.h"
#include "render/kms/drm_handles.h"

namespace verbcast {

/// A property of an object: its id, and its value when read.
struct DrmPropertyValue {
    std::uint32_t id = 0;
    std::uint64_t value = 0;
};
using DrmPropertyMap = std::map<std::string, DrmPropertyValue>;

DisplayMode displayMode(const drmModeModeInfo& mode);

/// Not thread-safe.
class DrmCard {
  public:
    /// Throws Error{Display}, with the group to join if permission is denied.
    explicit DrmCard(const std::string& path);

    int fd() const { return fd_.get(); }
    const std::string& path() const { return path_; }
    std::string driver() const;
    /// Whether it can show pictures.
    bool modesets() const;

    /// Makes us the only program that may change what is shown. Throws Error{Display} naming the programs
    /// that have the card open, as far as we can see them.
    void becomeMaster();
    /// The same; false if that is not possible now.
    bool takeMaster();
    /// Lets others change what is shown. Returns 0 or the errno.
    int resignAsMaster();

    /// Enables atomic commits; false if the driver has none.
    bool enableAtomic();
    /// Whether page-flip events use CLOCK_MONOTONIC.
    bool monotonicTimes() const;

    DrmResources resources() const;
    /// Finds a connector by the kernel's name. Asks its display for modes. Null if there is none (any more).
    DrmConnector connector(const std::string& name) const;
    std::vector<DisplayConnector> connectors() const;
    DrmPropertyMap properties(std::uint32_t object, std::uint32_t type) const;

  private:
    std::string path_;
    UniqueFd fd_;
};

}  // namespace verbcast
