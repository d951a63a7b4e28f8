// In the place of CUDA where its header was not there at build time.
#include "core/gpu/gpu_devices.h"

namespace verbcast {

GpuReport gpuReport() {
    return {.state = GpuState::NotCompiledIn,
            .reason = "this verbcast was built without CUDA's header",
            .remedy = "install CUDA's toolkit (Debian: nvidia-cuda-dev), and build again",
            .driverVersion = 0,
            .devices = {}};
}

std::string cudaHeaderVersion() {
    return "";
}

}  // namespace verbcast
