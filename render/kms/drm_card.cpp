#include "render/kms/drm_card.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/error.h"
#include "core/base/os/folder.h"
#include "core/base/text/clean_text.h"
#include "render/kms/kms_screens.h"

namespace verbcast {
namespace {

namespace fs = std::filesystem;

/// The group that may open the card, or "" if none may.
std::string groupOf(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || (status.st_mode & S_IRGRP) == 0 || status.st_gid == 0) {
        return "";
    }
    const group* entry = ::getgrgid(status.st_gid);
    return entry != nullptr ? entry->gr_name : std::to_string(status.st_gid);
}

[[noreturn]] void throwNotOpened(const std::string& path, int code) {
    if (code != EACCES && code != EPERM) {
        throwErrno(ErrorKind::Display, "open", path, code, "load the card's kernel driver");
    }
    const std::string name = groupOf(path);
    const std::string join =
        name.empty()
            ? fmt::format("let a group open it (as root: chgrp video {0}; chmod 660 {0})", path)
            : fmt::format("join the group {0} (sudo usermod -aG {0} $USER, then log in again)", name);
    throw Error(ErrorKind::Display, fmt::format("{}: {}", path, errnoText(code)),
                join + ", or log in on the machine's own console, whose seat has the card");
}

/// "Xorg (pid 812), kwin_wayland (pid 960)", as far as this user can see.
std::string otherUsersOf(const std::string& card) {
    std::set<std::string> users;
    std::error_code ignored;
    for (const std::string& pid : namesIn("/proc")) {
        if (pid.find_first_not_of("0123456789") != std::string::npos || pid == std::to_string(::getpid())) {
            continue;
        }
        const fs::path process = fs::path("/proc") / pid;
        const std::vector<std::string> open = namesIn(process / "fd");
        if (std::ranges::any_of(open, [&](const std::string& number) {
                return fs::read_symlink(process / "fd" / number, ignored) == card;
            })) {
            std::string name;
            std::getline(std::ifstream(process / "comm"), name);
            users.insert(fmt::format("{} (pid {})", cleanLine(name), pid));
        }
    }
    return fmt::format("{}", fmt::join(users, ", "));
}

/// The kernel's name of a connector: its type, and a number within that type.
std::string connectorName(const drmModeConnector& connector) {
    const char* type = drmModeGetConnectorTypeName(connector.connector_type);
    return fmt::format("{}-{}", type != nullptr ? type : "Unknown", connector.connector_type_id);
}

DisplayMode displayMode(const drmModeModeInfo& mode) {
    double pixels = static_cast<double>(mode.htotal) * mode.vtotal;
    pixels *= (mode.flags & DRM_MODE_FLAG_DBLSCAN) != 0 ? 2 : 1;
    pixels *= std::max<std::uint16_t>(mode.vscan, 1);
    const bool interlaced = (mode.flags & DRM_MODE_FLAG_INTERLACE) != 0;
    // The clock is in thousands of pixels per second; each field of an interlaced mode counts as a picture.
    const double milliHertz = pixels > 0 ? mode.clock * 1e6 / pixels * (interlaced ? 2 : 1) : 0;
    return {.width = mode.hdisplay,
            .height = mode.vdisplay,
            .milliHertz = static_cast<std::uint32_t>(std::lround(milliHertz)),
            .preferred = (mode.type & DRM_MODE_TYPE_PREFERRED) != 0,
            .interlaced = interlaced};
}

}  // namespace

std::vector<DisplayMode> displayModes(const drmModeConnector& connector) {
    std::vector<DisplayMode> modes(static_cast<std::size_t>(connector.count_modes));
    std::transform(connector.modes, connector.modes + connector.count_modes, modes.begin(), displayMode);
    return modes;
}

std::vector<std::string> cardNodes(const std::string& kind) {
    std::vector<std::string> paths;
    for (const std::string& name : namesIn("/dev/dri")) {
        if (name.starts_with(kind)) {
            paths.push_back("/dev/dri/" + name);
        }
    }
    std::ranges::sort(paths, {}, [](const std::string& path) { return std::pair(path.size(), path); });
    return paths;
}

DrmCard::DrmCard(const std::string& path)
    : path_(path), fd_(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK)) {
    if (!fd_) {
        throwNotOpened(path, errno);
    }
}

std::string DrmCard::driver() const {
    const DrmVersion version(drmGetVersion(fd()));
    return version && version->name != nullptr ? std::string(version->name) : "unknown driver";
}

bool DrmCard::modesets() const {
    const DrmResources found = resources();
    return found && found->count_crtcs > 0 && found->count_connectors > 0;
}

void DrmCard::becomeMaster() {
    if (takeMaster()) {
        return;
    }
    const int code = errno;
    const std::string users = otherUsersOf(path_);
    if (code == EACCES || code == EPERM || code == EBUSY || code == EINVAL) {
        throw Error(ErrorKind::Display,
                    fmt::format("{}: another program has the displays (it is DRM master){}", path_,
                                users.empty() ? "" : "; open there: " + users),
                    "stop the desktop (sudo systemctl isolate multi-user.target) or that program; several "
                    "connectors of one card are given to one viewer: --drm NAME,NAME");
    }
    throwErrno(ErrorKind::Display, "drmSetMaster", path_, code);
}

bool DrmCard::takeMaster() {
    return drmIsMaster(fd()) != 0 || drmSetMaster(fd()) == 0;
}

int DrmCard::resignAsMaster() {
    return drmDropMaster(fd()) == 0 ? 0 : errno;
}

bool DrmCard::enableAtomic() {
    return drmSetClientCap(fd(), DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1) == 0 &&
           drmSetClientCap(fd(), DRM_CLIENT_CAP_ATOMIC, 1) == 0;
}

bool DrmCard::monotonicTimes() const {
    std::uint64_t monotonic = 0;
    return drmGetCap(fd(), DRM_CAP_TIMESTAMP_MONOTONIC, &monotonic) == 0 && monotonic == 1;
}

DrmResources DrmCard::resources() const {
    return DrmResources(drmModeGetResources(fd()));
}

DrmConnector DrmCard::connector(const std::string& name) const {
    const DrmResources all = resources();
    for (int i = 0; all && i < all->count_connectors; ++i) {
        // Names need no probing, which takes long for displays queried one by one.
        DrmConnector known(drmModeGetConnectorCurrent(fd(), all->connectors[i]));
        if (known && connectorName(*known) == name) {
            return DrmConnector(drmModeGetConnector(fd(), all->connectors[i]));
        }
    }
    return nullptr;
}

std::vector<DisplayConnector> DrmCard::connectors() const {
    std::vector<DisplayConnector> found;
    const DrmResources all = resources();
    for (int i = 0; all && i < all->count_connectors; ++i) {
        const DrmConnector connector(drmModeGetConnector(fd(), all->connectors[i]));
        if (!connector || connector->connector_type == DRM_MODE_CONNECTOR_WRITEBACK) {
            continue;
        }
        DisplayConnector& each = found.emplace_back();
        each.name = connectorName(*connector);
        each.connected = connector->connection == DRM_MODE_CONNECTED && connector->count_modes > 0;
        each.modes = displayModes(*connector);
    }
    return found;
}

DrmPropertyMap DrmCard::properties(std::uint32_t object, std::uint32_t type) const {
    DrmPropertyMap map;
    const DrmProperties all(drmModeObjectGetProperties(fd(), object, type));
    for (std::uint32_t i = 0; all && i < all->count_props; ++i) {
        const DrmProperty property(drmModeGetProperty(fd(), all->props[i]));
        if (property) {
            map[property->name] = {property->prop_id, all->prop_values[i]};
        }
    }
    return map;
}

KmsSupport kmsSupport() {
    return {.available = true, .detail = std::string("libdrm ") + VERBCAST_LIBDRM_VERSION + ", GBM"};
}

std::vector<DisplayCard> displayCards() {
    std::vector<DisplayCard> cards;
    for (const std::string& path : cardNodes("card")) {
        DisplayCard card{.path = path, .driver = {}, .connectors = {}, .problem = {}, .remedy = {}};
        try {
            const DrmCard opened(path);
            if (!opened.modesets()) {
                continue;  // it only computes, without outputs
            }
            card.driver = opened.driver();
            card.connectors = opened.connectors();
        } catch (const Error& error) {
            const std::string what = error.what();
            card.problem = what.starts_with(path + ": ") ? what.substr(path.size() + 2) : what;
            card.remedy = error.remedy();
        }
        cards.push_back(std::move(card));
    }
    return cards;
}

}  // namespace verbcast
