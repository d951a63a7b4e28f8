#include "capture/camera/camera_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "capture/camera/v4l2_device.h"
#include "core/base/os/folder.h"

namespace verbcast {
namespace {

constexpr std::string_view kNodeName = "video";

std::optional<unsigned> nodeNumber(const std::string& name) {
    if (!name.starts_with(kNodeName)) {
        return std::nullopt;
    }
    unsigned number = 0;
    const char* last = name.data() + name.size();
    const auto [end, code] = std::from_chars(name.data() + kNodeName.size(), last, number);
    return code == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

void addCamera(const std::string& path, std::vector<std::string>& lines) {
    try {
        const V4l2Device device(path);
        lines.push_back(
            fmt::format("{}  {}  (driver {}, {})", path, device.card(), device.driver(), device.bus()));
        for (const std::string& mode : describeCameraModes(device.modes())) {
            lines.push_back("  " + mode);
        }
    } catch (const NotACamera&) {
        // an output, metadata, ...
    } catch (const Error& error) {
        lines.push_back(fmt::format("{}  {}", path, error.what()));
    }
}

}  // namespace

std::vector<std::string> videoNodes() {
    std::vector<std::string> nodes = namesIn("/dev");
    std::erase_if(nodes, [](const std::string& name) { return !nodeNumber(name); });
    std::ranges::stable_sort(nodes, {}, nodeNumber);
    std::ranges::for_each(nodes, [](std::string& name) { name.insert(0, "/dev/"); });
    return nodes;
}

std::string firstCamera() {
    std::optional<Error> refused;
    for (const std::string& path : videoNodes()) {
        try {
            const V4l2Device device(path);
            return path;
        } catch (const NotACamera&) {
            continue;
        } catch (const Error& error) {
            refused = refused ? refused : std::optional(error);
        }
    }
    if (refused) {
        throw Error(*refused);
    }
    throw Error(ErrorKind::Device, "this machine has no camera",
                "plug one in; verbcast devices lists the cameras");
}

std::vector<std::string> cameraLines() {
    std::vector<std::string> lines;
    for (const std::string& path : videoNodes()) {
        addCamera(path, lines);
    }
    return lines;
}

}  // namespace verbcast
