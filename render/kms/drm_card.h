// A graphics card in the kernel's mode setting (KMS).
#pragma once

#include <xf86drm.h>
#include <xf86drmMode.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "render/kms/display_mode.h"

namespace verbcast {

// Owners of libdrm's objects.
template <auto& Free>
struct DrmFree {
    template <typename Object>
    void operator()(Object* object) const {
        Free(object);
    }
};

using DrmResources = std::unique_ptr<drmModeRes, DrmFree<drmModeFreeResources>>;
using DrmConnector = std::unique_ptr<drmModeConnector, DrmFree<drmModeFreeConnector>>;
using DrmEncoder = std::unique_ptr<drmModeEncoder, DrmFree<drmModeFreeEncoder>>;
using DrmCrtc = std::unique_ptr<drmModeCrtc, DrmFree<drmModeFreeCrtc>>;
using DrmPlaneResources = std::unique_ptr<drmModePlaneRes, DrmFree<drmModeFreePlaneResources>>;
using DrmPlane = std::unique_ptr<drmModePlane, DrmFree<drmModeFreePlane>>;
using DrmProperties = std::unique_ptr<drmModeObjectProperties, DrmFree<drmModeFreeObjectProperties>>;
using DrmProperty = std::unique_ptr<drmModePropertyRes, DrmFree<drmModeFreeProperty>>;
using DrmVersion = std::unique_ptr<drmVersion, DrmFree<drmFreeVersion>>;
using DrmRequest = std::unique_ptr<drmModeAtomicReq, DrmFree<drmModeAtomicFree>>;

/// A property of an object: its id, and its value when read.
struct DrmPropertyValue {
    std::uint32_t id = 0;
    std::uint64_t value = 0;
};
using DrmPropertyMap = std::map<std::string, DrmPropertyValue>;

/// In the order in which the connector lists them.
std::vector<DisplayMode> displayModes(const drmModeConnector& connector);

/// Cards' device files of a kind, "card" or "renderD" (for drawing alone), by number.
std::vector<std::string> cardNodes(const std::string& kind);

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
