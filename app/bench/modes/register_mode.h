// The pieces of bench register that need no device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/bench/modes/bench_modes.h"
#include "core/transport/rdma/registration_cost.h"

namespace verbcast {

struct RegisterRange {
    std::vector<std::uint64_t> sizes;  ///< bytes, rising
    /// Memory that smaller sizes walk through: more than most last-level caches hold.
    std::uint64_t spreadBytes = 256ULL << 20;
};

/// 64 KiB to 1 GiB.
RegisterRange standardRegisterRange();
void registerRange(RegistrationProbe& probe, const RegisterRange& range, const BenchOptions& options,
                   BenchReport& report, BenchProgress& progress);

}  // namespace verbcast
