#include "app/cli/machine_options.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/gpu/gpu_devices.h"

namespace verbcast {

void addNuma(OptionList& options, NumaChoice& choice, const char* what) {
    options.addValue(
        seldomOption(
            section::kMachine, "--numa", "auto|off|N",
            fmt::format(
                "{} auto: that of the network device in use, unless numactl has chosen; N: that node; "
                "off: wherever the kernel puts them",
                what))
            .known({"auto", "off"}),
        {}, [&choice](const std::string&, const std::string& text) { choice = parseNuma(text); },
        [&choice] { return choice.text; });
}

void addGpu(OptionList& options) {
    options.addValue(
        seldomOption(
            section::kMachine, "--gpu", "GPU",
            "NVIDIA GPU to decode on, to keep frames in and to draw off screen with: its number, UUID "
            "or PCI "
            "address, as verbcast devices lists them (default: the driver's first; environment: "
            "VERBCAST_GPU)"),
        {}, [](const std::string&, const std::string& text) { ::setenv(kGpuVariable, text.c_str(), 1); },
        [] { return std::string(); });
}

}  // namespace verbcast
