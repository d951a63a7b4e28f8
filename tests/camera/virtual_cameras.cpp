#include "tests/camera/virtual_cameras.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "capture/camera/camera_list.h"
#include "capture/camera/v4l2_device.h"

namespace verbcast::testing {
namespace {

void tellDriver(const std::string& file) {
    std::ofstream control("/sys/bus/platform/drivers/vivid/" + file);
    control << "vivid.0" << std::flush;
    if (!control) {
        throw std::runtime_error("vivid takes no " + file);
    }
}

}  // namespace

std::vector<VirtualCamera> virtualCameras() {
    std::vector<VirtualCamera> cameras;
    for (const std::string& path : videoNodes()) {
        try {
            const V4l2Device device(path);
            if (device.driver() == "vivid") {
                cameras.push_back({path, device.bus()});
            }
        } catch (const NotACamera&) {
            continue;
        }
    }
    const char* expected = std::getenv("VERBCAST_VIRTUAL_CAMERAS");
    if (cameras.size() < (expected != nullptr ? std::stoul(expected) : 1)) {
        throw std::runtime_error(std::to_string(cameras.size()) + " virtual cameras are too few");
    }
    return cameras;
}

Unplugged::Unplugged() {
    tellDriver("unbind");
}

Unplugged::~Unplugged() {
    if (unplugged_) {
        tellDriver("bind");
    }
}

void Unplugged::plugIn() {
    tellDriver("bind");
    unplugged_ = false;
}

}  // namespace verbcast::testing
