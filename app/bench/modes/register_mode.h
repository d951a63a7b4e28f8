// The parts of bench register that need no device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/bench/modes/bench_modes.h"
#include "core/memory/device_memory.h"
#include "core/transport/rdma/rdma_devices.h"

namespace verbcast {

struct RegisterRange {
    std::vector<std::uint64_t> sizes;  ///< bytes, ascending
    /// Memory that smaller sizes cycle through: more than most last-level caches hold.
    std::uint64_t spreadBytes = 256ULL << 20;
};

/// 64 KiB to 1 GiB.
RegisterRange standardRegisterRange();
void registerRange(RegistrationProbe& probe, const RegisterRange& range, const BenchOptions& options,
                   BenchReport& report, BenchProgress& progress);

/// 2 MiB, the granularity of a GPU's allocations, to 512 MiB.
std::vector<std::uint64_t> deviceRegisterSizes();
/// The same for a GPU's memory, compared with copies into registered main memory. Throws Error{Resource},
/// with the reason, if the memory cannot be registered at all.
void registerDeviceRange(RegistrationProbe& probe, const DeviceAllocator& gpu,
                         const std::vector<std::uint64_t>& sizes, const BenchOptions& options,
                         BenchReport& report, BenchProgress& progress);

}  // namespace verbcast
