// Devices, contexts, and the lookup of all calls.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

#include "tests/core/gpu/driver/double_state.h"

using namespace verbcast::testing;

void verbcast::testing::refuseContents(const CUctx_st& gone) {
    const Driver& all = driver();
    for (const auto& [address, allocation] : all.allocations) {
        if (allocation.context == &gone) {
            misuse("the context goes before its memory");
        }
    }
    for (const auto& [stream, held] : all.streams) {
        if (held->context == &gone) {
            misuse("the context goes before its streams");
        }
    }
    for (const auto& [resource, picture] : all.pictures) {
        if (picture->context == &gone) {
            misuse("the context goes before its pictures");
        }
    }
}

extern "C" {

CUresult CUDAAPI cuDriverGetVersion(int* version) {
    *version = driver().version;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorName(CUresult error, const char** text) {
    switch (static_cast<int>(error)) {
        case 2:
            *text = "CUDA_ERROR_OUT_OF_MEMORY";
            break;
        case 100:
            *text = "CUDA_ERROR_NO_DEVICE";
            break;
        case 719:
            *text = "CUDA_ERROR_LAUNCH_FAILED";
            break;
        case 801:
            *text = "CUDA_ERROR_NOT_SUPPORTED";
            break;
        case 803:
            *text = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
            break;
        default:
            *text = nullptr;
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorString(CUresult error, const char** text) {
    *text = "as the test wanted";
    return error == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult CUDAAPI cuInit(unsigned flags) {
    const Entry entry("cuInit", Needs::Nothing);
    if (flags != 0) {
        misuse("cuInit: flags %u", flags);
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    if (driver().devices == 0) {
        return CUDA_ERROR_NO_DEVICE;
    }
    driver().started = true;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetCount(int* count) {
    const Entry entry("cuDeviceGetCount", Needs::Start);
    *count = static_cast<int>(driver().devices);
    return entry.result;
}

CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
    const Entry entry("cuDeviceGet", Needs::Start);
    if (ordinal < 0 || static_cast<std::uint64_t>(ordinal) >= driver().devices) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    *device = ordinal;
    return entry.result;
}

CUresult CUDAAPI cuDeviceGetName(char* name, int length, CUdevice device) {
    const Entry entry("cuDeviceGetName", Needs::Start);
    checkDevice(device, "cuDeviceGetName");
    std::snprintf(name, static_cast<std::size_t>(length), "Double %d", device);
    return entry.result;
}

CUresult CUDAAPI cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
    const Entry entry("cuDeviceTotalMem", Needs::Start);
    checkDevice(device, "cuDeviceTotalMem");
    *bytes = driver().memory;
    return entry.result;
}

CUresult CUDAAPI cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
    const Entry entry("cuDeviceGetPCIBusId", Needs::Start);
    checkDevice(device, "cuDeviceGetPCIBusId");
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", 0xFA + device);
    return entry.result;
}

CUresult CUDAAPI cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
    const Entry entry("cuDeviceGetUuid", Needs::Start);
    checkDevice(device, "cuDeviceGetUuid");
    std::fill(std::begin(uuid->bytes), std::end(uuid->bytes), static_cast<char>(0xD0 + device));
    return entry.result;
}

CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    const Entry entry("cuDeviceGetAttribute", Needs::Start);
    checkDevice(device, "cuDeviceGetAttribute");
    switch (static_cast<int>(attribute)) {
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
            *value = 9;
            break;
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
            *value = 0;
            break;
        case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
            *value = 512;
            break;
        case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED:
            *value = driver().dmaBuf || driver().peermem ? 1 : 0;
            break;
        case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS:
            *value = driver().flushes;
            break;
        case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING:
            *value = driver().order;
            break;
        case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
            *value = driver().shares ? 1 : 0;
            break;
        case CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED:
            *value = driver().dmaBuf ? 1 : 0;
            break;
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
    return entry.result;
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    const Entry entry("cuDevicePrimaryCtxRetain", Needs::Start);
    checkDevice(device, "cuDevicePrimaryCtxRetain");
    if (entry.result == CUDA_SUCCESS) {
        CUctx_st& one = driver().primary.at(static_cast<std::size_t>(device));
        one.device = device;
        ++one.retained;
        *context = &one;
    }
    return entry.result;
}

CUresult CUDAAPI cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    const Entry entry("cuDevicePrimaryCtxSetFlags", Needs::Start);
    checkDevice(device, "cuDevicePrimaryCtxSetFlags");
    CUctx_st& one = driver().primary.at(static_cast<std::size_t>(device));
    if (one.retained > 0) {
        return CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE;
    }
    one.flags = flags;
    return entry.result;
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    const Entry entry("cuDevicePrimaryCtxRelease", Needs::Start);
    checkDevice(device, "cuDevicePrimaryCtxRelease");
    Driver& all = driver();
    CUctx_st& one = all.primary.at(static_cast<std::size_t>(device));
    if (one.retained == 0) {
        misuse("cuDevicePrimaryCtxRelease: the context is not retained");
    }
    if (--one.retained == 0) {
        refuseContents(one);
    }
    return entry.result;
}

CUresult CUDAAPI cuCtxPushCurrent_v2(CUcontext context) {
    const Entry entry("cuCtxPushCurrent", Needs::Start);
    if (context == nullptr || context->retained == 0) {
        misuse("cuCtxPushCurrent: a context that nobody retains");
    }
    if (entry.result != CUDA_SUCCESS && entry.result != CUDA_ERROR_LAUNCH_FAILED) {
        return entry.result;
    }
    contexts().push_back(context);  // also one that has failed: its resources must still be freed
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxPopCurrent_v2(CUcontext* context) {
    const std::lock_guard lock(driver().mutex);  // also of a context that has failed
    if (contexts().empty()) {
        misuse("cuCtxPopCurrent: none is current");
    }
    if (context != nullptr) {
        *context = contexts().back();
    }
    contexts().pop_back();
    return CUDA_SUCCESS;
}
}  // extern "C"

namespace {

struct Named {
    const char* name;
    int since;
    void* function;
};

template <typename Function>
void* pointerTo(Function* function) {
    return reinterpret_cast<void*>(function);
}

}  // namespace

void* verbcast::testing::entryPoint(std::string_view name, int version) {
    static const std::array table{
        Named{"cuInit", 2000, pointerTo(&cuInit)},
        Named{"cuDriverGetVersion", 2020, pointerTo(&cuDriverGetVersion)},
        Named{"cuGetErrorName", 6000, pointerTo(&cuGetErrorName)},
        Named{"cuGetErrorString", 6000, pointerTo(&cuGetErrorString)},
        Named{"cuDeviceGetCount", 2000, pointerTo(&cuDeviceGetCount)},
        Named{"cuDeviceGet", 2000, pointerTo(&cuDeviceGet)},
        Named{"cuDeviceGetName", 2000, pointerTo(&cuDeviceGetName)},
        Named{"cuDeviceTotalMem", 3020, pointerTo(&cuDeviceTotalMem_v2)},
        Named{"cuDeviceGetAttribute", 2000, pointerTo(&cuDeviceGetAttribute)},
        Named{"cuDeviceGetUuid", 11040, pointerTo(&cuDeviceGetUuid_v2)},
        Named{"cuMemCreate", 10020, pointerTo(&cuMemCreate)},
        Named{"cuMemRelease", 10020, pointerTo(&cuMemRelease)},
        Named{"cuMemAddressReserve", 10020, pointerTo(&cuMemAddressReserve)},
        Named{"cuMemAddressFree", 10020, pointerTo(&cuMemAddressFree)},
        Named{"cuMemMap", 10020, pointerTo(&cuMemMap)},
        Named{"cuMemUnmap", 10020, pointerTo(&cuMemUnmap)},
        Named{"cuMemSetAccess", 10020, pointerTo(&cuMemSetAccess)},
        Named{"cuMemExportToShareableHandle", 10020, pointerTo(&cuMemExportToShareableHandle)},
        Named{"cuMemImportFromShareableHandle", 10020, pointerTo(&cuMemImportFromShareableHandle)},
        Named{"cuDeviceGetPCIBusId", 4010, pointerTo(&cuDeviceGetPCIBusId)},
        Named{"cuDevicePrimaryCtxRetain", 7000, pointerTo(&cuDevicePrimaryCtxRetain)},
        Named{"cuDevicePrimaryCtxRelease", 11000, pointerTo(&cuDevicePrimaryCtxRelease_v2)},
        Named{"cuCtxPushCurrent", 4000, pointerTo(&cuCtxPushCurrent_v2)},
        Named{"cuCtxPopCurrent", 4000, pointerTo(&cuCtxPopCurrent_v2)},
        Named{"cuMemGetInfo", 3020, pointerTo(&cuMemGetInfo_v2)},
        Named{"cuFlushGPUDirectRDMAWrites", 11030, pointerTo(&cuFlushGPUDirectRDMAWrites)},
        Named{"cuMemAlloc", 3020, pointerTo(&cuMemAlloc_v2)},
        Named{"cuMemFree", 3020, pointerTo(&cuMemFree_v2)},
        Named{"cuPointerSetAttribute", 6000, pointerTo(&cuPointerSetAttribute)},
        Named{"cuMemGetHandleForAddressRange", 11070, pointerTo(&cuMemGetHandleForAddressRange)},
        Named{"cuMemHostRegister", 6050, pointerTo(&cuMemHostRegister_v2)},
        Named{"cuMemHostUnregister", 4000, pointerTo(&cuMemHostUnregister)},
        Named{"cuCtxGetStreamPriorityRange", 5050, pointerTo(&cuCtxGetStreamPriorityRange)},
        Named{"cuStreamCreateWithPriority", 5050, pointerTo(&cuStreamCreateWithPriority)},
        Named{"cuDevicePrimaryCtxSetFlags", 11000, pointerTo(&cuDevicePrimaryCtxSetFlags_v2)},
        Named{"cuEventCreate", 2000, pointerTo(&cuEventCreate)},
        Named{"cuEventRecord", 2000, pointerTo(&cuEventRecord)},
        Named{"cuEventQuery", 2000, pointerTo(&cuEventQuery)},
        Named{"cuEventSynchronize", 2000, pointerTo(&cuEventSynchronize)},
        Named{"cuEventDestroy", 4000, pointerTo(&cuEventDestroy_v2)},
        Named{"cuStreamSynchronize", 2000, pointerTo(&cuStreamSynchronize)},
        Named{"cuStreamDestroy", 4000, pointerTo(&cuStreamDestroy_v2)},
        Named{"cuMemcpyDtoHAsync", 3020, pointerTo(&cuMemcpyDtoHAsync_v2)},
        Named{"cuMemcpyHtoDAsync", 3020, pointerTo(&cuMemcpyHtoDAsync_v2)}};
    static const std::array forOpenGl{
        Named{"cuGLGetDevices", 6050, pointerTo(&cuGLGetDevices_v2)},
        Named{"cuGraphicsGLRegisterImage", 3000, pointerTo(&cuGraphicsGLRegisterImage)},
        Named{"cuGraphicsGLRegisterBuffer", 3000, pointerTo(&cuGraphicsGLRegisterBuffer)},
        Named{"cuGraphicsUnregisterResource", 3000, pointerTo(&cuGraphicsUnregisterResource)},
        Named{"cuGraphicsMapResources", 3000, pointerTo(&cuGraphicsMapResources)},
        Named{"cuGraphicsUnmapResources", 3000, pointerTo(&cuGraphicsUnmapResources)},
        Named{"cuGraphicsSubResourceGetMappedArray", 3000, pointerTo(&cuGraphicsSubResourceGetMappedArray)},
        Named{"cuGraphicsResourceGetMappedPointer", 3020, pointerTo(&cuGraphicsResourceGetMappedPointer_v2)},
        Named{"cuMemcpy2DAsync", 3020, pointerTo(&cuMemcpy2DAsync_v2)}};
    const auto isWanted = [&](const Named& entry) { return entry.name == name && entry.since <= version; };
    if (const auto found = std::ranges::find_if(table, isWanted); found != table.end()) {
        return found->function;
    }
    const auto found = std::ranges::find_if(forOpenGl, isWanted);
    return driver().gl && found != forOpenGl.end() ? found->function : nullptr;
}
namespace {

CUresult find(const char* name, void** function, int version, cuuint64_t flags) {
    const Entry entry("cuGetProcAddress", Needs::Nothing);
    if (flags != CU_GET_PROC_ADDRESS_DEFAULT) {
        misuse("cuGetProcAddress: flags %llu", static_cast<unsigned long long>(flags));
    }
    *function = entryPoint(name, version);
    return entry.result != CUDA_SUCCESS ? entry.result
           : *function != nullptr       ? CUDA_SUCCESS
                                        : CUDA_ERROR_NOT_FOUND;
}

}  // namespace

#undef cuGetProcAddress
#if CUDA_VERSION >= 12000
using ProcAddressStatus = CUdriverProcAddressQueryResult;
#else
using ProcAddressStatus = void;  // CUDA 11's headers lack this type
#endif

extern "C" {

#ifndef CUDA_DOUBLE_ELEVEN
CUresult CUDAAPI cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                                     ProcAddressStatus* status) {
    if (status != nullptr) {
        misuse("cuGetProcAddress: nobody asks for the status");
    }
    return find(name, function, version, flags);
}
#endif

CUresult CUDAAPI cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
    return find(name, function, version, flags);
}
}  // extern "C"
