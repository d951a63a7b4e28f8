#include "core/sound/sound_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <utility>

namespace verbcast {

void SoundDevices::add(SoundDevices others) {
    std::move(others.devices.begin(), others.devices.end(), std::back_inserter(devices));
    std::move(others.problems.begin(), others.problems.end(), std::back_inserter(problems));
}

std::string SoundDevices::choices() const {
    if (devices.empty()) {
        return fmt::format("there are none: {}", fmt::join(problems, "; "));
    }
    std::vector<std::string> names;
    names.reserve(devices.size());
    for (const SoundDevice& device : devices) {
        names.push_back(device.name);
    }
    return fmt::format("there are: {}", fmt::join(names, ", "));
}

SoundDeviceName::SoundDeviceName(std::string_view written) : name(written) {
    if (written.starts_with(kPipeWirePrefix)) {
        name = written.substr(kPipeWirePrefix.size());
        mayBeAlsa = false;
    } else if (written.starts_with(kAlsaPrefix)) {
        name = written.substr(kAlsaPrefix.size());
        mayBePipeWire = false;
    }
}

}  // namespace verbcast
