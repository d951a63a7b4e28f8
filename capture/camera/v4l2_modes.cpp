#include "capture/camera/v4l2_modes.h"

#include <linux/videodev2.h>

#include <algorithm>
#include <optional>

#include "capture/camera/v4l2_control.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kMaxModes = 1024;  // guards against drivers whose list never ends

/// The part of a range that we can send; nullopt if there is none.
std::optional<CameraSizes> sendable(CameraSizes sizes) {
    sizes.stepWidth = std::max(1U, sizes.stepWidth);
    sizes.stepHeight = std::max(1U, sizes.stepHeight);
    const auto bound = [](std::uint32_t& least, std::uint32_t& most, std::uint32_t step) {
        if (least < kMinDimension) {
            least += (kMinDimension - least + step - 1) / step * step;
        }
        if (most > kMaxDimension && kMaxDimension >= least) {
            most = least + (kMaxDimension - least) / step * step;
        }
        return least <= most && most <= kMaxDimension;
    };
    if (!bound(sizes.minWidth, sizes.maxWidth, sizes.stepWidth) ||
        !bound(sizes.minHeight, sizes.maxHeight, sizes.stepHeight)) {
        return std::nullopt;
    }
    return sizes;
}

std::vector<CameraSizes> sizesOf(int fd, bool multiplanar, std::uint32_t fourCc) {
    std::vector<CameraSizes> all;
    v4l2_frmsizeenum size{};
    size.pixel_format = fourCc;
    for (; v4l2Control(fd, VIDIOC_ENUM_FRAMESIZES, &size) == 0 && size.index < kMaxModes; ++size.index) {
        const bool single = size.type == V4L2_FRMSIZE_TYPE_DISCRETE;
        const auto sizes =
            sendable(single ? CameraSizes::single(size.discrete.width, size.discrete.height)
                            : CameraSizes{size.stepwise.min_width, size.stepwise.min_height,
                                          size.stepwise.max_width, size.stepwise.max_height,
                                          size.stepwise.step_width, size.stepwise.step_height});
        if (sizes) {
            all.push_back(*sizes);
        }
        if (!single) {
            break;
        }
    }
    if (size.index == 0 && all.empty()) {
        // Receivers of a video signal list no sizes: the signal decides.
        v4l2_format format{};
        format.type = v4l2CaptureType(multiplanar);
        if (v4l2Control(fd, VIDIOC_G_FMT, &format) == 0) {
            const auto sizes =
                sendable(multiplanar ? CameraSizes::single(format.fmt.pix_mp.width, format.fmt.pix_mp.height)
                                     : CameraSizes::single(format.fmt.pix.width, format.fmt.pix.height));
            if (sizes) {
                all.push_back(*sizes);
            }
        }
    }
    return all;
}

void addRates(int fd, CameraMode& mode) {
    v4l2_frmivalenum interval{};
    interval.pixel_format = mode.fourCc;
    interval.width = mode.sizes.maxWidth;
    interval.height = mode.sizes.maxHeight;
    for (; v4l2Control(fd, VIDIOC_ENUM_FRAMEINTERVALS, &interval) == 0 && interval.index < kMaxModes;
         ++interval.index) {
        if (interval.type == V4L2_FRMIVAL_TYPE_DISCRETE) {
            if (const auto rate = rateOfInterval(interval.discrete)) {
                mode.rates.push_back(*rate);
            }
            continue;
        }
        const auto slowest = rateOfInterval(interval.stepwise.max);
        const auto fastest = rateOfInterval(interval.stepwise.min);
        if (slowest && fastest && slowest->value() <= fastest->value()) {
            mode.rates = {*slowest, *fastest};
            mode.rateRange = true;
        }
        break;
    }
}

}  // namespace

std::vector<CameraMode> v4l2Modes(int fd, bool multiplanar) {
    std::vector<CameraMode> modes;
    v4l2_fmtdesc description{};
    description.type = v4l2CaptureType(multiplanar);
    for (; v4l2Control(fd, VIDIOC_ENUM_FMT, &description) == 0 && modes.size() < kMaxModes;
         ++description.index) {
        CameraMode mode;
        mode.fourCc = description.pixelformat;
        mode.pixelFormat = cameraPixelFormat(mode.fourCc);
        if (!mode.isUsable()) {
            modes.push_back(mode);
            continue;
        }
        for (const CameraSizes& sizes : sizesOf(fd, multiplanar, mode.fourCc)) {
            mode.sizes = sizes;
            mode.rates.clear();
            addRates(fd, mode);
            modes.push_back(mode);
        }
    }
    return modes;
}

}  // namespace verbcast
