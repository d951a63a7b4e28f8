// The GPU that draws, for CUDA.
#pragma once

#include <memory>

#include "core/memory/device_memory.h"

namespace verbcast {

/// The memory of the GPU that draws for the current OpenGL context. If that is none of CUDA's: null, or with
/// `must` Error{Device}.
std::shared_ptr<const DeviceAllocator> memoryOfDrawingGpu(bool must);

}  // namespace verbcast
