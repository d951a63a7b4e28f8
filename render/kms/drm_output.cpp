#include "render/kms/drm_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <utility>

#include "core/base/error.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

bool isSameMode(const drmModeModeInfo& one, const drmModeModeInfo& other) {
    return one.clock == other.clock && one.hdisplay == other.hdisplay && one.vdisplay == other.vdisplay &&
           one.htotal == other.htotal && one.vtotal == other.vtotal && one.flags == other.flags;
}

/// Adds those that the object has.
void add(drmModeAtomicReq* request, std::uint32_t object, const DrmPropertyMap& properties,
         std::initializer_list<std::pair<const char*, std::uint64_t>> values) {
    for (const auto& [name, value] : values) {
        if (const auto found = properties.find(name); found != properties.end()) {
            drmModeAtomicAddProperty(request, object, found->second.id, value);
        }
    }
}

/// A mode as a kernel property blob.
class ModeBlob {
  public:
    ModeBlob(int fd, const drmModeModeInfo& mode) : fd_(fd) {
        drmModeCreatePropertyBlob(fd, &mode, sizeof mode, &id_);
    }
    ~ModeBlob() {
        if (id_ != 0) {
            drmModeDestroyPropertyBlob(fd_, id_);
        }
    }
    ModeBlob(const ModeBlob&) = delete;
    ModeBlob& operator=(const ModeBlob&) = delete;
    std::uint32_t id() const { return id_; }

  private:
    int fd_;
    std::uint32_t id_ = 0;
};

/// Whether only the driver may have refused an atomic commit, so that the legacy way is worth a try.
bool isRefusal(int code) {
    return code == EINVAL || code == ENOSYS || code == EOPNOTSUPP || code == ERANGE || code == ENOENT;
}

}  // namespace

DrmOutput::DrmOutput(DrmCard& card, std::string connector, std::optional<ModeWish> wish, bool atomic)
    : card_(card), wish_(wish), state_{.connector = std::move(connector), .mode = {}, .atomic = atomic} {}

DrmOutput::~DrmOutput() {
    restore();
}

DrmOutput::Change DrmOutput::look(const std::vector<std::uint32_t>& taken, bool strict, std::string& note) {
    const DrmConnector connector = card_.connector(state_.connector);
    if (!connector || connector->connection != DRM_MODE_CONNECTED || connector->count_modes == 0) {
        return std::exchange(state_.connected, false) ? Change::Unplugged : Change::None;
    }
    const std::vector<DisplayMode> modes = displayModes(*connector);
    std::size_t chosen = 0;
    try {
        chosen = chooseMode(modes, wish_, state_.connector);
    } catch (const Error& error) {
        if (strict) {
            throw;
        }
        chosen = chooseMode(modes, std::nullopt, state_.connector);
        note = fmt::format("{}: the display's preferred mode is taken", error.what());
    }
    const drmModeModeInfo& mode = connector->modes[chosen];
    const bool same = state_.connected && connector->connector_id == connector_ && isSameMode(mode, mode_);
    // A bad link shows nothing until its mode is set again.
    const auto properties = card_.properties(connector->connector_id, DRM_MODE_OBJECT_CONNECTOR);
    const auto link = properties.find("link-status");
    if (same && (link == properties.end() || link->second.value == DRM_MODE_LINK_STATUS_GOOD)) {
        return Change::None;
    }
    connector_ = connector->connector_id;
    connectorProperties_ = properties;
    if (crtc_ == 0 && !findCrtc(*connector, taken)) {
        throw Error(ErrorKind::Display,
                    fmt::format("{}: no display controller (CRTC) of {} is left for it", state_.connector,
                                card_.path()),
                    "use fewer connectors");
    }
    mode_ = mode;
    state_.mode = modes[chosen];
    state_.connected = true;
    modeSet_ = false;
    return Change::Plugged;
}

/// Chooses the CRTC that drives the connector now, to change as little as possible, or the first free one.
bool DrmOutput::findCrtc(const drmModeConnector& connector, const std::vector<std::uint32_t>& taken) {
    const DrmResources all = card_.resources();
    const DrmEncoder now(drmModeGetEncoder(card_.fd(), connector.encoder_id));
    std::uint32_t possible = 0;
    for (int i = 0; i < connector.count_encoders; ++i) {
        const DrmEncoder encoder(drmModeGetEncoder(card_.fd(), connector.encoders[i]));
        possible |= encoder ? encoder->possible_crtcs : 0;
    }
    for (int i = 0; all && i < all->count_crtcs && i < 32; ++i) {
        const std::uint32_t candidate = all->crtcs[i];
        const bool current = now && now->crtc_id == candidate;
        if ((possible & (1U << static_cast<unsigned>(i))) == 0 ||
            std::ranges::find(taken, candidate) != taken.end() || (crtc_ != 0 && !current)) {
            continue;
        }
        crtc_ = candidate;
        crtcIndex_ = static_cast<std::uint32_t>(i);
    }
    if (crtc_ == 0) {
        return false;
    }
    keepFormer();
    findPlane();
    return true;
}

void DrmOutput::keepFormer() {
    former_.reset(drmModeGetCrtc(card_.fd(), crtc_));
    const DrmResources all = card_.resources();
    for (int i = 0; all && i < all->count_connectors; ++i) {
        const DrmConnector other(drmModeGetConnectorCurrent(card_.fd(), all->connectors[i]));
        const DrmEncoder encoder(other ? drmModeGetEncoder(card_.fd(), other->encoder_id) : nullptr);
        if (encoder && encoder->crtc_id == crtc_) {
            formerConnectors_.push_back(other->connector_id);
        }
    }
}

void DrmOutput::findPlane() {
    if (!state_.atomic) {
        return;
    }
    crtcProperties_ = card_.properties(crtc_, DRM_MODE_OBJECT_CRTC);
    const DrmPlaneResources all(drmModeGetPlaneResources(card_.fd()));
    for (std::uint32_t i = 0; all && i < all->count_planes && plane_ == 0; ++i) {
        const DrmPlane plane(drmModeGetPlane(card_.fd(), all->planes[i]));
        if (!plane || (plane->possible_crtcs & (1U << crtcIndex_)) == 0 ||
            (plane->crtc_id != 0 && plane->crtc_id != crtc_)) {
            continue;
        }
        auto properties = card_.properties(plane->plane_id, DRM_MODE_OBJECT_PLANE);
        const auto type = properties.find("type");
        if (type != properties.end() && type->second.value == DRM_PLANE_TYPE_PRIMARY) {
            plane_ = plane->plane_id;
            planeProperties_ = std::move(properties);
        }
    }
    if (plane_ == 0) {
        state_.atomic = false;
        legacyReason_ = "no primary plane is free";
    }
}

int DrmOutput::show(std::uint32_t framebuffer) {
    shownAt_.reset();
    const bool setsMode = !modeSet_;
    int code = state_.atomic ? showAtomic(framebuffer, setsMode) : showLegacy(framebuffer, setsMode);
    if (code != 0 && state_.atomic && !everSet_ && isRefusal(code)) {
        state_.atomic = false;
        legacyReason_ = "the driver refused an atomic commit: " + errnoText(code);
        code = showLegacy(framebuffer, setsMode);
    }
    if (code == 0) {
        modeSet_ = everSet_ = true;
        pending_ = !shownAt_;
    }
    return code;
}

/// Turns off cursors and overlays that others left there.
void DrmOutput::addOtherPlanesOff(drmModeAtomicReq* request) const {
    const DrmPlaneResources all(drmModeGetPlaneResources(card_.fd()));
    for (std::uint32_t i = 0; all && i < all->count_planes; ++i) {
        const DrmPlane plane(drmModeGetPlane(card_.fd(), all->planes[i]));
        if (plane && plane->plane_id != plane_ && plane->crtc_id == crtc_) {
            const auto properties = card_.properties(plane->plane_id, DRM_MODE_OBJECT_PLANE);
            add(request, plane->plane_id, properties, {{"FB_ID", 0}, {"CRTC_ID", 0}});
        }
    }
}

int DrmOutput::showAtomic(std::uint32_t framebuffer, bool setsMode) {
    const DrmRequest request(drmModeAtomicAlloc());
    std::optional<ModeBlob> blob;
    std::uint32_t flags = DRM_MODE_PAGE_FLIP_EVENT;
    if (setsMode) {
        blob.emplace(card_.fd(), mode_);
        flags |= DRM_MODE_ATOMIC_ALLOW_MODESET;
        add(request.get(), connector_, connectorProperties_,
            {{"CRTC_ID", crtc_}, {"link-status", DRM_MODE_LINK_STATUS_GOOD}});
        add(request.get(), crtc_, crtcProperties_, {{"MODE_ID", blob->id()}, {"ACTIVE", 1}});
        addOtherPlanesOff(request.get());
    } else {
        flags |= DRM_MODE_ATOMIC_NONBLOCK;
    }
    add(request.get(), plane_, planeProperties_, {{"FB_ID", framebuffer}});
    if (setsMode) {
        const std::uint64_t width = mode_.hdisplay, height = mode_.vdisplay;
        add(request.get(), plane_, planeProperties_,
            {{"CRTC_ID", crtc_},
             {"SRC_X", 0},
             {"SRC_Y", 0},
             {"SRC_W", width << 16U},  // in units of 1/65536 pixel
             {"SRC_H", height << 16U},
             {"CRTC_X", 0},
             {"CRTC_Y", 0},
             {"CRTC_W", width},
             {"CRTC_H", height}});
    }
    return drmModeAtomicCommit(card_.fd(), request.get(), flags, this) == 0 ? 0 : errno;
}

int DrmOutput::showLegacy(std::uint32_t framebuffer, bool setsMode) {
    if (!setsMode) {
        return drmModePageFlip(card_.fd(), crtc_, framebuffer, DRM_MODE_PAGE_FLIP_EVENT, this) == 0 ? 0
                                                                                                    : errno;
    }
    if (drmModeSetCrtc(card_.fd(), crtc_, framebuffer, 0, 0, &connector_, 1, &mode_) != 0) {
        return errno;
    }
    drmModeSetCursor(card_.fd(), crtc_, 0, 0, 0);
    shownAt_ = nowNs();  // drmModeSetCrtc() has waited
    return 0;
}

void DrmOutput::giveUp() noexcept {
    restore();
    state_.connected = false;
}

void DrmOutput::restore() noexcept {
    if (!std::exchange(everSet_, false) || !former_) {
        return;
    }
    const bool on = former_->mode_valid != 0 && former_->buffer_id != 0 && !formerConnectors_.empty();
    const int failed = on ? drmModeSetCrtc(card_.fd(), crtc_, former_->buffer_id, former_->x, former_->y,
                                           formerConnectors_.data(),
                                           static_cast<int>(formerConnectors_.size()), &former_->mode)
                          : drmModeSetCrtc(card_.fd(), crtc_, 0, 0, 0, nullptr, 0, nullptr);
    if (failed != 0) {
        log().warn("{}: what was shown before could not be put back: {}", state_.connector, errnoText(errno));
    }
}

}  // namespace verbcast
