#include "core/gpu/cuda/cuda_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace verbcast {
namespace {

struct LiveContexts {
    std::mutex mutex;
    std::map<int, std::weak_ptr<const CudaContext>> byGpu;
};

LiveContexts& liveContexts() {
    static LiveContexts contexts;
    return contexts;
}

GpuDevice requireGpu(int gpu) {
    const GpuReport report = gpuReport();
    if (report.state != GpuState::Ready) {
        throwUnusable(report);
    }
    const auto found = std::ranges::find(report.devices, gpu, &GpuDevice::number);
    if (found == report.devices.end()) {
        throw Error(
            ErrorKind::Device,
            fmt::format("there is no GPU {}: {} expected", gpu,
                        report.devices.size() == 1 ? std::string("0")
                                                   : fmt::format("0 to {}", report.devices.size() - 1)),
            "verbcast devices lists them");
    }
    return *found;
}

}  // namespace

std::shared_ptr<const CudaContext> CudaContext::of(int gpu) {
    LiveContexts& live = liveContexts();
    const std::lock_guard lock(live.mutex);
    auto context = live.byGpu[gpu].lock();
    if (!context) {
        context = std::make_shared<const CudaContext>(gpu);
        live.byGpu[gpu] = context;
    }
    return context;
}

CudaContext::CudaContext(int gpu)
    : calls_(cudaDriver().calls), gpu_(requireGpu(gpu)), name_(fmt::format("{} (GPU {})", gpu_.name, gpu)) {
    checkCuda(calls_.DeviceGet(&device_, gpu), "cuDeviceGet", name_);
    // Threads that wait for this GPU sleep then, and FFmpeg shares only such contexts. If other code of this
    // process has the context already, the call fails, which does no harm.
    static_cast<void>(calls_.DevicePrimaryCtxSetFlags(device_, CU_CTX_SCHED_BLOCKING_SYNC));
    checkCuda(calls_.DevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain", name_);
}

CudaContext::~CudaContext() {
    static_cast<void>(calls_.DevicePrimaryCtxRelease(device_));
}

CurrentCuda::CurrentCuda(const CudaContext& context) : calls_(context.calls()) {
    checkCuda(calls_.CtxPushCurrent(context.context_), "cuCtxPushCurrent", context.name());
}

CurrentCuda::~CurrentCuda() {
    CUcontext popped = nullptr;
    static_cast<void>(calls_.CtxPopCurrent(&popped));
}

}  // namespace verbcast
