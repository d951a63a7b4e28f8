// libcuda.so.1, loaded when somebody asks for GPUs, and its entry points.
#pragma once

#include <cudaTypedefs.h>

#include <string>
#include <string_view>

#include "core/gpu/gpu_devices.h"

namespace verbcast {

/// The oldest supported driver: the first that exports memory as dma-bufs.
inline constexpr int kOldestDriver = 11070;

/// Each call, with the version of CUDA whose form of it is used.
#define VERBCAST_CUDA_CALLS(CALL)             \
    CALL(GetErrorName, 6000)                  \
    CALL(GetErrorString, 6000)                \
    CALL(Init, 2000)                          \
    CALL(DeviceGetCount, 2000)                \
    CALL(DeviceGet, 2000)                     \
    CALL(DeviceGetName, 2000)                 \
    CALL(DeviceTotalMem, 3020)                \
    CALL(DeviceGetAttribute, 2000)            \
    CALL(DeviceGetPCIBusId, 4010)             \
    CALL(DeviceGetUuid, 11040)                \
    CALL(DevicePrimaryCtxRetain, 7000)        \
    CALL(DevicePrimaryCtxRelease, 11000)      \
    CALL(DevicePrimaryCtxSetFlags, 11000)     \
    CALL(CtxPushCurrent, 4000)                \
    CALL(CtxPopCurrent, 4000)                 \
    CALL(MemGetInfo, 3020)                    \
    CALL(MemAlloc, 3020)                      \
    CALL(MemFree, 3020)                       \
    CALL(MemCreate, 10020)                    \
    CALL(MemRelease, 10020)                   \
    CALL(MemAddressReserve, 10020)            \
    CALL(MemAddressFree, 10020)               \
    CALL(MemMap, 10020)                       \
    CALL(MemUnmap, 10020)                     \
    CALL(MemSetAccess, 10020)                 \
    CALL(MemExportToShareableHandle, 10020)   \
    CALL(MemImportFromShareableHandle, 10020) \
    CALL(PointerSetAttribute, 6000)           \
    CALL(MemGetHandleForAddressRange, 11070)  \
    CALL(FlushGPUDirectRDMAWrites, 11030)     \
    CALL(MemHostRegister, 6050)               \
    CALL(MemHostUnregister, 4000)             \
    CALL(CtxGetStreamPriorityRange, 5050)     \
    CALL(StreamCreateWithPriority, 5050)      \
    CALL(StreamSynchronize, 2000)             \
    CALL(StreamDestroy, 4000)                 \
    CALL(EventCreate, 2000)                   \
    CALL(EventRecord, 2000)                   \
    CALL(EventQuery, 2000)                    \
    CALL(EventSynchronize, 2000)              \
    CALL(EventDestroy, 4000)                  \
    CALL(MemcpyDtoHAsync, 3020)               \
    CALL(MemcpyHtoDAsync, 3020)

/// For what OpenGL draws and shows, and FFmpeg decodes. Not every driver has them.
#define VERBCAST_CUDA_GL_CALLS(CALL)              \
    CALL(GLGetDevices, 6050)                      \
    CALL(GraphicsGLRegisterImage, 3000)           \
    CALL(GraphicsGLRegisterBuffer, 3000)          \
    CALL(GraphicsUnregisterResource, 3000)        \
    CALL(GraphicsMapResources, 3000)              \
    CALL(GraphicsUnmapResources, 3000)            \
    CALL(GraphicsSubResourceGetMappedArray, 3000) \
    CALL(GraphicsResourceGetMappedPointer, 3020)  \
    CALL(Memcpy2DAsync, 3020)

// As in cudaGLTypedefs.h, which would need OpenGL's header.
using PFN_cuGLGetDevices_v6050 = CUresult(CUDAAPI*)(unsigned* count, CUdevice* devices, unsigned capacity,
                                                    int list);
using PFN_cuGraphicsGLRegisterImage_v3000 = CUresult(CUDAAPI*)(CUgraphicsResource* resource, unsigned image,
                                                               unsigned target, unsigned flags);
using PFN_cuGraphicsGLRegisterBuffer_v3000 = CUresult(CUDAAPI*)(CUgraphicsResource* resource, unsigned buffer,
                                                                unsigned flags);

/// Pointers to the driver's functions: calls.DeviceGet is cuDeviceGet. All are set, or none; of those for
/// OpenGL, each that the driver has.
struct CudaCalls {
#define VERBCAST_CUDA_MEMBER(name, version) PFN_cu##name##_v##version name = nullptr;
    VERBCAST_CUDA_CALLS(VERBCAST_CUDA_MEMBER)
    VERBCAST_CUDA_GL_CALLS(VERBCAST_CUDA_MEMBER)
#undef VERBCAST_CUDA_MEMBER
};

/// The driver as this process found it. It stays loaded: drivers do not unload cleanly.
struct CudaDriver {
    GpuState state = GpuState::NoDriver;  ///< Ready: cuInit succeeded
    std::string reason, remedy;           ///< when not Ready
    int version = 0;                      ///< 0: not known
    CudaCalls calls;
};

/// Loads and starts it in the first call. Thread-safe. Only the dynamic loader's own search decides where it
/// comes from.
const CudaDriver& cudaDriver();

/// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory". The calls must be set.
std::string cudaErrorText(const CudaCalls& calls, CUresult result);

/// Throws Error{Device}, or Error{Resource} if memory is short: "cuMemAlloc on OBJECT: CUDA_ERROR_...".
void checkCuda(CUresult result, std::string_view call, std::string_view object);

}  // namespace verbcast
