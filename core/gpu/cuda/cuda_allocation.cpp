// GPU memory of cuMemAlloc, for this process only, and of cuMemCreate, which gives a descriptor for others.
// The driver counts who has memory of the second kind mapped: it stays until the last of them has released
// it, no matter which process dies first.
#include "core/gpu/cuda/cuda_allocation.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

using PlainMemory = CudaHandle<CUdeviceptr, &CudaCalls::MemFree>;
using PhysicalMemory = CudaHandle<CUmemGenericAllocationHandle, &CudaCalls::MemRelease>;
using AddressRange = CudaHandle<CUdeviceptr, &CudaCalls::MemAddressFree>;
using Mapping = CudaHandle<CUdeviceptr, &CudaCalls::MemUnmap>;

std::string objectText(const CudaContext& context, std::uint64_t bytes) {
    return fmt::format("{}, {} MiB", context.name(), bytes >> 20);
}

class PlainAllocation final : public CudaAllocation {
  public:
    PlainAllocation(const CudaContext& context, std::uint64_t bytes)
        : memory_(context, "cuMemAlloc", objectText(context, bytes),
                  [&](CUdeviceptr& address) { return context.calls().MemAlloc(&address, bytes); }) {
        // Copies are complete when they return, also for devices that CUDA does not know of.
        const unsigned yes = 1;
        const CurrentCuda current(context);
        checkCuda(context.calls().PointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory_.get()),
                  "cuPointerSetAttribute(SYNC_MEMOPS)", context.name());
    }
    CUdeviceptr address() const override { return memory_.get(); }
    ExportedMemory share() const override {
        return {{}, "this GPU and its driver share memory by no descriptor"};
    }

  private:
    PlainMemory memory_;
};

CUmemLocation placeOf(const CudaContext& context) {
    return {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = context.ordinal()};
}

PhysicalMemory createMemory(const CudaContext& context, std::uint64_t bytes) {
    return {context, "cuMemCreate", objectText(context, bytes), [&](CUmemGenericAllocationHandle& handle) {
                CUmemAllocationProp wanted{};
                wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
                wanted.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
                wanted.location = placeOf(context);
                wanted.allocFlags.gpuDirectRDMACapable = context.device().directRdma ? 1 : 0;
                return context.calls().MemCreate(&handle, bytes, &wanted, 0);
            }};
}

PhysicalMemory importMemory(const CudaContext& context, const UniqueFd& shared) {
    return {context, "cuMemImportFromShareableHandle", context.name(),
            [&](CUmemGenericAllocationHandle& handle) {
                auto* const descriptor = reinterpret_cast<void*>(static_cast<std::intptr_t>(shared.get()));
                return context.calls().MemImportFromShareableHandle(&handle, descriptor,
                                                                    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
            }};
}

class MappedAllocation final : public CudaAllocation {
  public:
    /// Memory of our own; with `shared`, another process's.
    MappedAllocation(const CudaContext& context, std::uint64_t bytes, const UniqueFd* shared = nullptr)
        : context_(context),
          own_(shared == nullptr),
          bytes_(bytes),
          memory_(own_ ? createMemory(context, bytes) : importMemory(context, *shared)),
          range_(
              context, "cuMemAddressReserve", objectText(context, bytes),
              [&](CUdeviceptr& address) {
                  return context.calls().MemAddressReserve(&address, bytes, 0, 0, 0);
              },
              bytes),
          mapping_(
              context, "cuMemMap", objectText(context, bytes),
              [&](CUdeviceptr& address) {
                  address = range_.get();
                  return context.calls().MemMap(address, bytes, 0, memory_.get(), 0);
              },
              bytes) {
        const CurrentCuda current(context);
        // Drivers that cannot map another process's memory for reading only map it for writing, too.
        if (own_ || open(CU_MEM_ACCESS_FLAGS_PROT_READ) != CUDA_SUCCESS) {
            checkCuda(open(CU_MEM_ACCESS_FLAGS_PROT_READWRITE), "cuMemSetAccess", context.name());
        }
        if (own_) {
            // Drivers may know the attribute for memory of cuMemAlloc only. We wait for all our copies
            // anyway.
            const unsigned yes = 1;
            static_cast<void>(
                context.calls().PointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address()));
        }
    }

    CUdeviceptr address() const override { return range_.get(); }
    ExportedMemory share() const override {
        if (!own_) {
            return {{}, "it is another process's"};
        }
        try {
            const CurrentCuda current(context_);
            int descriptor = -1;
            checkCuda(context_.calls().MemExportToShareableHandle(
                          &descriptor, memory_.get(), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                      "cuMemExportToShareableHandle", context_.name());
            return {UniqueFd(descriptor), ""};
        } catch (const Error& error) {
            return {{}, error.what()};
        }
    }

  private:
    CUresult open(CUmemAccess_flags rights) const {
        const CUmemAccessDesc access{.location = placeOf(context_), .flags = rights};
        return context_.calls().MemSetAccess(address(), bytes_, &access, 1);
    }

    const CudaContext& context_;
    const bool own_;
    const std::uint64_t bytes_;
    PhysicalMemory memory_;
    AddressRange range_;
    Mapping mapping_;
};

}  // namespace

std::unique_ptr<CudaAllocation> allocateCuda(const CudaContext& context, std::uint64_t bytes) {
    if (context.device().sharesMemory) {
        try {
            return std::make_unique<MappedAllocation>(context, bytes);
        } catch (const Error& error) {
            log(LogCategory::Memory)
                .info("memory of {} cannot be shared with other processes: {}", context.name(), error.what());
        }
    }
    return std::make_unique<PlainAllocation>(context, bytes);
}

std::unique_ptr<CudaAllocation> mapSharedCuda(const CudaContext& context, UniqueFd descriptor,
                                              std::uint64_t bytes) {
    return std::make_unique<MappedAllocation>(context, bytes, &descriptor);
}

}  // namespace verbcast
