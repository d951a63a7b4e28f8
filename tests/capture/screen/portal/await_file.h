// Waiting for the sockets of programs.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "capture/camera/device_watch.h"
#include "core/base/os/event.h"
#include "tests/support/patience.h"

namespace verbcast::testing {

inline void awaitFile(const std::string& path) {
    DeviceWatch watch(path);
    const Event never;
    while (!std::filesystem::exists(path)) {
        if (watch.wait(kPatience, never) != Status::Ok) {
            throw std::runtime_error("nobody makes " + path);
        }
    }
}

}  // namespace verbcast::testing
