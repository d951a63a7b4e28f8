// The GPUs of this machine, as CUDA's driver reports them, and which of them this process uses: one for
// decoding, memory and drawing off screen alike. No CUDA types.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

enum class GpuState {
    NotCompiledIn,  ///< built without cuda.h
    NoDriver,       ///< no libcuda.so.1 here
    BadDriver,      ///< there is one that cannot be loaded or started
    DriverTooOld,
    NoDevice,  ///< the driver runs but has none
    Ready,
};

/// Who sees, without a flush, what an RDMA device has written into the GPU's memory.
enum class GpuWriteOrder { Nobody, OwnDevice, AllDevices };

struct GpuDevice {
    int number = 0;          ///< as the driver counts
    std::string name;        ///< cleaned of what terminals would not show
    std::string pciAddress;  ///< as sysfs writes it: "0000:3b:00.0"
    int computeMajor = 0, computeMinor = 0;
    std::uint64_t memoryBytes = 0;
    bool directRdma = false;     ///< RDMA devices may reach its memory (GPUDirect RDMA)
    bool dmaBuf = false;         ///< its memory can be exported as a dma-buf
    bool sharesMemory = false;   ///< its memory, as RDMA needs it, can be shared between processes
    std::string uuid{};          ///< 32 hexadecimal digits; "" if the driver does not tell
    bool flushesByCall = false;  ///< cuFlushGPUDirectRDMAWrites
    bool flushesOnStream = false;
    GpuWriteOrder writeOrder = GpuWriteOrder::Nobody;
};

struct GpuReport {
    GpuState state = GpuState::NotCompiledIn;
    std::string reason;     ///< when not Ready: what is missing
    std::string remedy;     ///< how to fix that, or ""
    int driverVersion = 0;  ///< as CUDA numbers: 12040 is 12.4; 0: none
    std::vector<GpuDevice> devices;
};

/// Loads the driver and asks it: may take seconds if there are GPUs. Thread-safe; never throws because of a
/// driver. Figures that a device does not tell are zero.
GpuReport gpuReport();

/// Throws Error{Device} with the report's reason and remedy, for a report that is not Ready.
[[noreturn]] void throwUnusable(const GpuReport& report);

/// The CUDA version of the header that this was built with, "13.0"; "" without one.
std::string cudaHeaderVersion();

/// "12.4" for 12040.
std::string cudaVersionText(int version);

/// How what an RDMA device wrote becomes visible: "remote writes must be flushed by a call", ...
std::string_view gpuWriteOrderText(const GpuDevice& device);

/// As NVIDIA's tools write it: "GPU-d0d0d0d0-d0d0-d0d0-d0d0-d0d0d0d0d0d0"; "" for none.
std::string gpuUuidText(const GpuDevice& device);

/// For `verbcast --version`, one line: "CUDA 13.0, driver 12.4: NVIDIA H200" or why there is no GPU.
std::string gpuSummary(const GpuReport& report);

/// The environment variable that names a GPU to this process and to those that it starts.
inline constexpr const char* kGpuVariable = "VERBCAST_GPU";

/// The GPU that `text` names: by its number, its UUID ("GPU-" in front, or dashes, or none of either) or its
/// PCI address ("0000:3b:00.0", "3b:00.0").
std::optional<int> findGpu(std::span<const GpuDevice> gpus, std::string_view text);

/// Whether the variable names one.
bool gpuIsChosen();

/// The GpuDevice::number of the GPU that the variable names, or of the driver's first (CUDA_VISIBLE_DEVICES
/// selects another); loads the driver if one is named. Throws Error{Usage} if there is none of that name,
/// Error{Device} if no GPU can be used.
int chosenGpu();

}  // namespace verbcast
