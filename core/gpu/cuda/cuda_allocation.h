// Memory of a GPU: our own, by two kinds of calls, or another process's.
#pragma once

#include <cstdint>
#include <memory>

#include "core/gpu/cuda/cuda_context.h"
#include "core/memory/device_memory.h"

namespace verbcast {

/// Allocations are whole blocks of this size and begin at one, so that pages of every kind fit, also BAR1's.
inline constexpr std::uint64_t kGpuBlock = 2U << 20;

/// Frees the memory, or ends the mapping, when destroyed. The context must outlive it.
class CudaAllocation {
  public:
    virtual ~CudaAllocation() = default;
    virtual CUdeviceptr address() const = 0;
    /// A descriptor by which another process maps it, or why there is none.
    virtual ExportedMemory share() const = 0;
};

/// `bytes`: whole blocks. Shareable if GPU and driver allow it. Throws Error{Resource, Device}.
std::unique_ptr<CudaAllocation> allocateCuda(const CudaContext& context, std::uint64_t bytes);
/// Maps what share() returned in another process, for reading; `bytes` is what that process claims. Throws
/// Error{Device}.
std::unique_ptr<CudaAllocation> mapSharedCuda(const CudaContext& context, UniqueFd descriptor,
                                              std::uint64_t bytes);

}  // namespace verbcast
