#include "render/drawing_gpu.h"

#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/gpu/gl_sharing.h"
#include "core/gpu/gpu_memory.h"
#include "render/gl_renderer.h"

namespace verbcast {

std::shared_ptr<const DeviceAllocator> memoryOfDrawingGpu(bool must) {
    if (!must && !drawsOnNvidia()) {  // only then is CUDA worth loading
        return nullptr;
    }
    try {
        return gpuAllocator(gpuOfGl());
    } catch (const Error& error) {
        if (must) {
            throw;
        }
        log(LogCategory::Render).info("frames are received in main memory: {}", error.what());
        return nullptr;
    }
}

}  // namespace verbcast
