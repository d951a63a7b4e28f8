// What FFmpeg calls to decode, beside the calls of verbcast.
#include "tests/core/gpu/driver/double_state.h"

using namespace verbcast::testing;

#undef cuDevicePrimaryCtxRelease

extern "C" {

CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    const Entry entry("cuDevicePrimaryCtxGetState", Needs::Start);
    checkDevice(device, "cuDevicePrimaryCtxGetState");
    const CUctx_st& one = driver().primary.at(static_cast<std::size_t>(device));
    *flags = one.flags;
    *active = one.retained > 0 ? 1 : 0;
    return entry.result;
}

#undef cuDevicePrimaryCtxSetFlags
CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device) {
    return cuDevicePrimaryCtxRelease_v2(device);
}

#undef cuCtxCreate
/// The new context becomes current.
CUresult CUDAAPI cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
    const Entry entry("cuCtxCreate", Needs::Start);
    checkDevice(device, "cuCtxCreate");
    if (entry.result == CUDA_SUCCESS) {
        auto made = std::make_unique<CUctx_st>(
            CUctx_st{.device = device, .retained = 1, .primary = false, .flags = flags});
        *context = made.get();
        contexts().push_back(made.get());
        driver().created.emplace(made.get(), std::move(made));
    }
    return entry.result;
}

CUresult CUDAAPI cuCtxDestroy_v2(CUcontext context) {
    const Entry entry("cuCtxDestroy", Needs::Start);
    const auto found = driver().created.find(context);
    if (found == driver().created.end()) {
        misuse("cuCtxDestroy: no such context");
    }
    refuseContents(*context);
    driver().defaultStreams.erase(context);
    driver().created.erase(found);
    return entry.result;
}
}  // extern "C"
