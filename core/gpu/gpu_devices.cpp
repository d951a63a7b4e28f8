#include "core/gpu/gpu_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

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

void throwUnusable(const GpuReport& report) {
    throw Error(ErrorKind::Device, "no GPU can be used here: " + report.reason, report.remedy);
}

std::string cudaVersionText(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string_view gpuWriteOrderText(const GpuDevice& device) {
    if (device.writeOrder == GpuWriteOrder::AllDevices) {
        return "remote writes are in order for all GPUs";
    }
    if (device.writeOrder == GpuWriteOrder::OwnDevice) {
        return "remote writes are in order for this GPU";
    }
    return device.flushesByCall     ? "remote writes must be flushed by a call"
           : device.flushesOnStream ? "remote writes must be flushed on a stream"
                                    : "remote writes cannot be flushed";
}

std::string gpuUuidText(const GpuDevice& device) {
    if (device.uuid.size() != 32) {
        return device.uuid;
    }
    const auto part = [&device](std::size_t from, std::size_t count) {
        return device.uuid.substr(from, count);
    };
    return fmt::format("GPU-{}-{}-{}-{}-{}", part(0, 8), part(8, 4), part(12, 4), part(16, 4), part(20, 12));
}

std::string gpuSummary(const GpuReport& report) {
    if (report.state == GpuState::NotCompiledIn) {
        return "CUDA not compiled in";
    }
    std::string text = "CUDA " + cudaHeaderVersion();
    if (report.driverVersion != 0) {
        text += ", driver " + cudaVersionText(report.driverVersion);
    }
    if (report.state != GpuState::Ready) {
        static constexpr const char* kStates[] = {"not compiled in", "no driver", "unusable driver",
                                                  "driver too old",  "no device", "ready"};
        return fmt::format("{} ({}: {})", text, kStates[static_cast<std::size_t>(report.state)],
                           report.reason);
    }
    for (const GpuDevice& device : report.devices) {
        text += (device.number == 0 ? ": " : ", ") + device.name;
    }
    return text;
}

std::optional<int> findGpu(std::span<const GpuDevice> gpus, std::string_view text) {
    std::string wanted = plain(text);
    if (wanted.empty()) {
        return std::nullopt;
    }
    const auto is = [&wanted](const GpuDevice& gpu) {
        return wanted == std::to_string(gpu.number) || (!gpu.uuid.empty() && wanted == plain(gpu.uuid)) ||
               wanted == gpu.pciAddress || "0000:" + wanted == gpu.pciAddress ||
               wanted == "0000" + gpu.pciAddress;  // as nvidia-smi writes it
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
