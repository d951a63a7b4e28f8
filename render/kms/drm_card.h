// A graphics card as the kernel's mode setting (KMS) knows it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/unique_fd.h"
#include "render/kms/display_mode.h"
#include "render/kms/drm_handles.h"

namespace verbcast {

/// A property of an object: its id, and its value when it was read.
struct DrmPropertyValue {
    std::uint32_t id = 0;
    std::uint64_t value = 0;
};
using DrmPropertyMap = std::map<std::string, DrmPropertyValue>;

DisplayMode displayMode(const drmModeModeInfo& mode);

/// Not synchronised.
class DrmCard {
  public:
    /// Throws Error{Display} with the group to join where it is not permitted.
    explicit DrmCard(const std::string& path);

    int fd() const { return fd_.get(); }
    const std::string& path() const { return path_; }
    std::string driver() const;
    /// Whether it can show anything.
    bool modesets() const;

    /// From now on only we may change what is shown. Throws Error{Display} that names the programs which have
    /// the card open, as far as they can be seen.
    void becomeMaster();

    /// Atomic commits from now on; false where the driver has none.
    bool enableAtomic();
    /// Page-flip events tell times of CLOCK_MONOTONIC.
    bool monotonicTimes() const;

    DrmResources resources() const;
    /// By the kernel's name. Asks the display for its modes. Null when there is none (any more).
    DrmConnector connector(const std::string& name) const;
    std::vector<DisplayConnector> connectors() const;
    DrmPropertyMap properties(std::uint32_t object, std::uint32_t type) const;

  private:
    std::string path_;
    UniqueFd fd_;
};

}  // namespace verbcast
