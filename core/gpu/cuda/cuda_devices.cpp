#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

#include "core/base/error.h"
#include "core/base/text/clean_text.h"
#include "core/gpu/cuda/cuda_driver.h"
#include "core/gpu/gpu_devices.h"

namespace verbcast {
namespace {

/// 0 for what this driver or device does not know.
int attributeOf(const CudaCalls& calls, CUdevice device, CUdevice_attribute attribute) {
    int value = 0;
    return calls.DeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS ? value : 0;
}

GpuWriteOrder writeOrderOf(int value) {
    return value >= CU_GPU_DIRECT_RDMA_WRITES_ORDERING_ALL_DEVICES ? GpuWriteOrder::AllDevices
           : value >= CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER     ? GpuWriteOrder::OwnDevice
                                                                   : GpuWriteOrder::Nobody;
}

GpuDevice deviceAt(const CudaCalls& calls, int number) {
    GpuDevice gpu;
    gpu.number = number;
    const std::string what = "GPU " + std::to_string(number);
    CUdevice device = 0;
    checkCuda(calls.DeviceGet(&device, number), "cuDeviceGet", what);
    std::array<char, 256> text{};
    checkCuda(calls.DeviceGetName(text.data(), static_cast<int>(text.size()), device), "cuDeviceGetName",
              what);
    text.back() = '\0';
    gpu.name = cleanText(text.data());
    text = {};
    if (calls.DeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device) == CUDA_SUCCESS) {
        text.back() = '\0';
        gpu.pciAddress = cleanText(text.data());
        std::ranges::transform(gpu.pciAddress, gpu.pciAddress.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
    std::size_t bytes = 0;
    if (calls.DeviceTotalMem(&bytes, device) == CUDA_SUCCESS) {
        gpu.memoryBytes = bytes;
    }
    const auto attribute = [&](CUdevice_attribute which) { return attributeOf(calls, device, which); };
    gpu.computeMajor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    gpu.computeMinor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    gpu.directRdma = attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED) != 0;
    gpu.dmaBuf = attribute(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED) != 0;
    const auto all = [&](std::initializer_list<CUdevice_attribute> which) {
        return std::ranges::all_of(which, [&](CUdevice_attribute each) { return attribute(each) != 0; });
    };
    gpu.sharesMemory =
        all({CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
             CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED}) &&
        (!gpu.directRdma || all({CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED}));
    if (CUuuid uuid{}; calls.DeviceGetUuid(&uuid, device) == CUDA_SUCCESS) {
        for (const char byte : uuid.bytes) {
            gpu.uuid += fmt::format("{:02x}", static_cast<unsigned char>(byte));
        }
    }
    const int flushes = attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS);
    gpu.flushesByCall = (flushes & CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST) != 0;
    gpu.flushesOnStream = (flushes & CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS) != 0;
    gpu.writeOrder = writeOrderOf(attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING));
    return gpu;
}

}  // namespace

GpuReport gpuReport() {
    const CudaDriver& driver = cudaDriver();
    GpuReport report{.state = driver.state,
                     .reason = driver.reason,
                     .remedy = driver.remedy,
                     .driverVersion = driver.version,
                     .devices = {}};
    if (driver.state != GpuState::Ready) {
        return report;
    }
    try {
        int count = 0;
        checkCuda(driver.calls.DeviceGetCount(&count), "cuDeviceGetCount", "this machine");
        for (int number = 0; number < count; ++number) {
            report.devices.push_back(deviceAt(driver.calls, number));
        }
        if (report.devices.empty()) {
            report.state = GpuState::NoDevice;
            report.reason = "the driver lists none (CUDA_VISIBLE_DEVICES may hide them)";
        }
    } catch (const Error& error) {
        report.state = GpuState::BadDriver;
        report.reason = error.what();
        report.remedy = error.remedy();
        report.devices.clear();
    }
    return report;
}

std::string cudaHeaderVersion() {
    return cudaVersionText(CUDA_VERSION);
}

}  // namespace verbcast
