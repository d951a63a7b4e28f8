// Cameras by Video4Linux2.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "capture/frame_source.h"
#include "core/base/unique_fd.h"

namespace verbcast {
namespace {

std::string fourCc(std::uint32_t code) {
    std::string text;
    for (int i = 0; i < 4; ++i) {
        text += static_cast<char>(code >> (8 * i) & 0x7F);
    }
    return text;
}

/// "YUYV up to 1920x1080" for one of a device's pixel formats.
std::string modeText(int device, std::uint32_t pixelFormat) {
    std::uint32_t width = 0, height = 0;
    v4l2_frmsizeenum size{};
    size.pixel_format = pixelFormat;
    for (; ::ioctl(device, VIDIOC_ENUM_FRAMESIZES, &size) == 0; ++size.index) {
        const bool discrete = size.type == V4L2_FRMSIZE_TYPE_DISCRETE;
        width = std::max(width, discrete ? size.discrete.width : size.stepwise.max_width);
        height = std::max(height, discrete ? size.discrete.height : size.stepwise.max_height);
        if (!discrete) {
            break;
        }
    }
    return width == 0 ? fourCc(pixelFormat)
                      : fmt::format("{} up to {}x{}", fourCc(pixelFormat), width, height);
}

/// A line about a node that captures video; empty for others.
std::string deviceLine(const std::string& path) {
    const UniqueFd device(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!device) {
        return fmt::format("{}  cannot be opened: {}", path, errnoText(errno));
    }
    v4l2_capability capability{};
    if (::ioctl(device.get(), VIDIOC_QUERYCAP, &capability) != 0) {
        return {};
    }
    const bool ofNode = (capability.capabilities & V4L2_CAP_DEVICE_CAPS) != 0;
    if (((ofNode ? capability.device_caps : capability.capabilities) & V4L2_CAP_VIDEO_CAPTURE) == 0) {
        return {};
    }
    std::string line = fmt::format("{}  {}", path, reinterpret_cast<const char*>(capability.card));
    v4l2_fmtdesc description{};
    description.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    for (; ::ioctl(device.get(), VIDIOC_ENUM_FMT, &description) == 0; ++description.index) {
        line += (description.index == 0 ? ": " : ", ") + modeText(device.get(), description.pixelformat);
    }
    return line;
}

}  // namespace

std::vector<std::string> captureDevices() {
    std::vector<std::string> lines;
    std::error_code ignored;  // no /dev that can be read: no devices
    for (const auto& entry : std::filesystem::directory_iterator("/dev", ignored)) {
        if (entry.path().filename().string().starts_with("video")) {
            if (auto line = deviceLine(entry.path().string()); !line.empty()) {
                lines.push_back(std::move(line));
            }
        }
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

}  // namespace verbcast
