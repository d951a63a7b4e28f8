// Stands in for CUDA if its header was missing at build time.
#include "core/gpu/gl_sharing.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"

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

std::shared_ptr<const DeviceAllocator> gpuAllocator(int) {
    throwUnusable(gpuReport());
}

std::unique_ptr<const DeviceMemory> lentGpuMemory(int, DeviceMemoryAddress, std::uint64_t) {
    throwUnusable(gpuReport());
}

int gpuOfGl() {
    throwUnusable(gpuReport());
}

std::unique_ptr<GlPicture> registerGlPicture(int, unsigned, std::uint32_t, std::uint32_t) {
    throwUnusable(gpuReport());
}

std::unique_ptr<GlPixels> registerGlBuffer(int, unsigned) {
    throwUnusable(gpuReport());
}

std::unique_ptr<GlPixels> registerGlTextures(int, std::span<const unsigned>) {
    throwUnusable(gpuReport());
}

std::unique_ptr<GpuCopy> makeGpuCopy(int) {
    throwUnusable(gpuReport());
}

std::unique_ptr<PinnedMemory> pinForGpu(int, std::shared_ptr<const Memory>) {
    throwUnusable(gpuReport());
}

}  // namespace verbcast
