// Calls that FFmpeg looks for before it starts, and does not make to decode. Without CUDA's header, which
// declares them with their parameters.
namespace verbcast::testing {

[[noreturn]] void misuse(const char* format, ...);

}  // namespace verbcast::testing

#define CUDA_DOUBLE_ABSENT(name)                                                                   \
    extern "C" void name() {                                                                       \
        verbcast::testing::misuse(#name " is needed for more than decoding: the double lacks it"); \
    }

CUDA_DOUBLE_ABSENT(cuDeviceComputeCapability)
CUDA_DOUBLE_ABSENT(cuCtxSetLimit)
CUDA_DOUBLE_ABSENT(cuMemAllocPitch_v2)
CUDA_DOUBLE_ABSENT(cuMemAllocManaged)
CUDA_DOUBLE_ABSENT(cuMemsetD8Async)
CUDA_DOUBLE_ABSENT(cuMemcpy)
CUDA_DOUBLE_ABSENT(cuMemcpyAsync)
CUDA_DOUBLE_ABSENT(cuMemcpy2D_v2)
CUDA_DOUBLE_ABSENT(cuMemcpyHtoD_v2)
CUDA_DOUBLE_ABSENT(cuMemcpyDtoH_v2)
CUDA_DOUBLE_ABSENT(cuMemcpyDtoD_v2)
CUDA_DOUBLE_ABSENT(cuMemcpyDtoDAsync_v2)
CUDA_DOUBLE_ABSENT(cuCtxGetDevice)
CUDA_DOUBLE_ABSENT(cuDevicePrimaryCtxReset)
CUDA_DOUBLE_ABSENT(cuStreamQuery)
CUDA_DOUBLE_ABSENT(cuStreamCreate)
CUDA_DOUBLE_ABSENT(cuStreamAddCallback)
CUDA_DOUBLE_ABSENT(cuLaunchKernel)
CUDA_DOUBLE_ABSENT(cuLinkCreate)
CUDA_DOUBLE_ABSENT(cuLinkAddData)
CUDA_DOUBLE_ABSENT(cuLinkComplete)
CUDA_DOUBLE_ABSENT(cuLinkDestroy)
CUDA_DOUBLE_ABSENT(cuModuleLoadData)
CUDA_DOUBLE_ABSENT(cuModuleUnload)
CUDA_DOUBLE_ABSENT(cuModuleGetFunction)
CUDA_DOUBLE_ABSENT(cuModuleGetGlobal)
CUDA_DOUBLE_ABSENT(cuTexObjectCreate)
CUDA_DOUBLE_ABSENT(cuTexObjectDestroy)
CUDA_DOUBLE_ABSENT(cuArray3DCreate_v2)
CUDA_DOUBLE_ABSENT(cuArrayDestroy)
