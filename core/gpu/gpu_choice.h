// Which of a machine's NVIDIA GPUs this process uses: one for decoding, memory and drawing off screen alike.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/gpu/gpu_devices.h"

namespace verbcast {

/// The environment variable that names a GPU to this process and to those that it starts.
inline constexpr const char* kGpuVariable = "VERBCAST_GPU";

/// The GPU that `text` names: by its number, its UUID ("GPU-" in front, or dashes, or none of either) or its
/// PCI address ("0000:3b:00.0", "3b:00.0").
std::optional<int> findGpu(std::span<const GpuDevice> gpus, std::string_view text);

/// Whether the variable names one.
bool gpuIsChosen();

/// The GpuDevice::number of the GPU that the variable names, or of the driver's first (CUDA_VISIBLE_DEVICES
/// selects another); loads the driver if one is named. Throws Error{Usage} if there is none of that name,
/// Error{Device} if no GPU can be used.
int chosenGpu();

}  // namespace verbcast
