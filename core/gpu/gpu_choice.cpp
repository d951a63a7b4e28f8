#include "core/gpu/gpu_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace verbcast {
namespace {

std::string_view nameGiven() {
    const char* const text = std::getenv(kGpuVariable);
    return text != nullptr ? text : "";
}

/// In lower case, and without dashes.
std::string plain(std::string_view text) {
    std::string result;
    for (const char character : text) {
        if (character != '-') {
            result.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(character))));
        }
    }
    return result;
}

}  // namespace

std::optional<int> findGpu(std::span<const GpuDevice> gpus, std::string_view text) {
    std::string wanted = plain(text);
    if (wanted.empty()) {
        return std::nullopt;
    }
    const auto is = [&wanted](const GpuDevice& gpu) {
        return wanted == std::to_string(gpu.number) || (!gpu.uuid.empty() && wanted == plain(gpu.uuid)) ||
               wanted == gpu.pciAddress || "0000:" + wanted == gpu.pciAddress;
    };
    if (wanted.starts_with("gpu")) {
        wanted.erase(0, 3);
    }
    const auto found = std::ranges::find_if(gpus, is);
    return found != gpus.end() ? std::optional(found->number) : std::nullopt;
}

bool gpuIsChosen() {
    return !nameGiven().empty();
}

int chosenGpu() {
    if (!gpuIsChosen()) {
        return 0;
    }
    const GpuReport report = gpuReport();
    if (report.state != GpuState::Ready) {
        throwUnusable(report);
    }
    const std::optional<int> gpu = findGpu(report.devices, nameGiven());
    if (!gpu) {
        std::vector<std::string> there;
        for (const GpuDevice& device : report.devices) {
            there.push_back(fmt::format("{} ({}, {})", device.number, device.name, device.pciAddress));
        }
        throw Error(ErrorKind::Usage,
                    fmt::format("--gpu {}: no GPU has that number, UUID or PCI address", nameGiven()),
                    fmt::format("there are: {}", fmt::join(there, ", ")));
    }
    return *gpu;
}

}  // namespace verbcast
