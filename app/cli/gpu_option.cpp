#include "app/cli/gpu_option.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

#include "core/gpu/gpu_devices.h"

namespace verbcast {

void addGpu(CLI::App& command) {
    command
        .add_option_function<std::string>(
            "--gpu", [](const std::string& name) { ::setenv(kGpuVariable, name.c_str(), 1); },
            "NVIDIA GPU to decode on, to keep frames in and to draw off screen with: its number, UUID or\n"
            "PCI address, as verbcast devices lists them (default: the driver's first; environment:\n"
            "VERBCAST_GPU)")
        ->type_name("GPU");
}

}  // namespace verbcast
