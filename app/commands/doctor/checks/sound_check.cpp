// Checks what sound is played by and recorded from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/commands/doctor/checks/checks.h"

namespace verbcast {
namespace {

/// "Built-in Audio Analogue Stereo (PipeWire, 2 channels)"; "" if there is no default device. Those of
/// PipeWire come first, and are also tried first.
std::string usualOf(const SoundDevices& found) {
    const auto usual = std::ranges::find_if(found.devices, &SoundDevice::isDefault);
    return usual != found.devices.end() ? fmt::format("{} ({})", usual->description, usual->detail) : "";
}

}  // namespace

Check soundCheck(const SoundDevices& outputs, const SoundDevices& inputs) {
    const std::string output = usualOf(outputs), input = usualOf(inputs);
    const std::string recorded = input.empty() ? "no default device records" : "records from " + input;
    if (!output.empty()) {
        return {"sound", CheckState::Ok, fmt::format("plays on {}; {}", output, recorded)};
    }
    return {
        "sound", CheckState::Info,
        fmt::format("no default device plays{}{}; {}", outputs.problems.empty() ? "" : ": ",
                    fmt::join(outputs.problems, ", "), recorded),
        "systemctl --user start pipewire wireplumber (sudo apt-get install pipewire wireplumber); pictures "
        "need no sound"};
}

}  // namespace verbcast
