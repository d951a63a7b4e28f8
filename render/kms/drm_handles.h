// Owning handles for libdrm's objects.
#pragma once

#include <xf86drm.h>
#include <xf86drmMode.h>

#include <memory>

namespace verbcast {

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

}  // namespace verbcast
