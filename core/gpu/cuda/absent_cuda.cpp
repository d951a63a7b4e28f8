// Stands in for CUDA if its header was missing at build time.
#include "core/base/error.h"
#include "core/gpu/gl_picture.h"
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

namespace {

[[noreturn]] void refuse() {
    const GpuReport report = gpuReport();
    throw Error(ErrorKind::Device, "no GPU can be used here: " + report.reason, report.remedy);
}

}  // namespace

std::shared_ptr<const DeviceAllocator> gpuAllocator(int) {
    refuse();
}

int gpuOfGl() {
    refuse();
}

std::unique_ptr<GlPicture> registerGlPicture(int, unsigned, std::uint32_t, std::uint32_t) {
    refuse();
}

}  // namespace verbcast
