// GPU memory of cuMemAlloc, for this process only, and of cuMemCreate, which gives a descriptor for others.
// The driver counts who has memory of the second kind mapped: it stays until the last of them has released
// it, no matter which process dies first.
#include "core/gpu/cuda/cuda_allocation.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

std::string objectText(const CudaContext& context, std::uint64_t bytes) {
    return fmt::format("{}, {} MiB", context.name(), bytes >> 20);
}

/// For destructors: what has failed with its context is gone already.
template <typename Call>
void inContext(const CudaContext& context, Call&& call) noexcept {
    try {
        const CurrentCuda current(context);
        call();
    } catch (const Error&) {
    }
}

class PlainAllocation final : public CudaAllocation {
  public:
    PlainAllocation(const CudaContext& context, std::uint64_t bytes) : memory_(context, bytes) {
        // Copies are complete when they return, also for devices that CUDA does not know of.
        const unsigned yes = 1;
        const CurrentCuda current(context);
        checkCuda(
            context.calls().PointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory_.address),
            "cuPointerSetAttribute(SYNC_MEMOPS)", context.name());
    }
    CUdeviceptr address() const override { return memory_.address; }
    ExportedMemory share() const override {
        return {{}, "this GPU and its driver share memory by no descriptor"};
    }

  private:
    struct Owned {
        Owned(const CudaContext& of, std::uint64_t bytes) : context(of) {
            const CurrentCuda current(context);
            checkCuda(context.calls().MemAlloc(&address, bytes), "cuMemAlloc", objectText(context, bytes));
        }
        ~Owned() {
            inContext(context, [&] { static_cast<void>(context.calls().MemFree(address)); });
        }
        Owned(const Owned&) = delete;
        Owned& operator=(const Owned&) = delete;
        const CudaContext& context;
        CUdeviceptr address = 0;
    };
    Owned memory_;
};

CUmemLocation placeOf(const CudaContext& context) {
    return {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = context.ordinal()};
}

/// What cuMemCreate or cuMemImportFromShareableHandle returned.
class PhysicalMemory {
  public:
    PhysicalMemory(const CudaContext& context, std::uint64_t bytes) : context_(context) {
        CUmemAllocationProp wanted{};
        wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        wanted.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        wanted.location = placeOf(context);
        wanted.allocFlags.gpuDirectRDMACapable = context.device().directRdma ? 1 : 0;
        const CurrentCuda current(context_);
        checkCuda(context_.calls().MemCreate(&handle_, bytes, &wanted, 0), "cuMemCreate",
                  objectText(context_, bytes));
    }
    PhysicalMemory(const CudaContext& context, const UniqueFd& shared) : context_(context) {
        const CurrentCuda current(context_);
        auto* const descriptor = reinterpret_cast<void*>(static_cast<std::intptr_t>(shared.get()));
        checkCuda(context_.calls().MemImportFromShareableHandle(&handle_, descriptor,
                                                                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                  "cuMemImportFromShareableHandle", context_.name());
    }
    ~PhysicalMemory() {
        inContext(context_, [this] { static_cast<void>(context_.calls().MemRelease(handle_)); });
    }
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;
    CUmemGenericAllocationHandle get() const { return handle_; }

  private:
    const CudaContext& context_;
    CUmemGenericAllocationHandle handle_ = 0;
};

class AddressRange {
  public:
    AddressRange(const CudaContext& context, std::uint64_t bytes) : context_(context), bytes_(bytes) {
        const CurrentCuda current(context_);
        checkCuda(context_.calls().MemAddressReserve(&address_, bytes_, 0, 0, 0), "cuMemAddressReserve",
                  objectText(context_, bytes_));
    }
    ~AddressRange() {
        inContext(context_, [this] { static_cast<void>(context_.calls().MemAddressFree(address_, bytes_)); });
    }
    AddressRange(const AddressRange&) = delete;
    AddressRange& operator=(const AddressRange&) = delete;
    CUdeviceptr get() const { return address_; }

  private:
    const CudaContext& context_;
    std::uint64_t bytes_;
    CUdeviceptr address_ = 0;
};

class Mapping {
  public:
    Mapping(const CudaContext& context, const PhysicalMemory& memory, CUdeviceptr address,
            std::uint64_t bytes)
        : context_(context), address_(address), bytes_(bytes) {
        const CurrentCuda current(context_);
        checkCuda(context_.calls().MemMap(address_, bytes_, 0, memory.get(), 0), "cuMemMap",
                  objectText(context_, bytes_));
    }
    ~Mapping() {
        inContext(context_, [this] { static_cast<void>(context_.calls().MemUnmap(address_, bytes_)); });
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    CUresult open(CUmemAccess_flags rights) const {
        const CurrentCuda current(context_);
        const CUmemAccessDesc access{.location = placeOf(context_), .flags = rights};
        return context_.calls().MemSetAccess(address_, bytes_, &access, 1);
    }

  private:
    const CudaContext& context_;
    CUdeviceptr address_;
    std::uint64_t bytes_;
};

class MappedAllocation final : public CudaAllocation {
  public:
    /// Memory of our own.
    MappedAllocation(const CudaContext& context, std::uint64_t bytes)
        : context_(context),
          own_(true),
          memory_(context, bytes),
          range_(context, bytes),
          mapping_(context, memory_, range_.get(), bytes) {
        checkCuda(mapping_.open(CU_MEM_ACCESS_FLAGS_PROT_READWRITE), "cuMemSetAccess", context.name());
        // Drivers may know the attribute for memory of cuMemAlloc only. We wait for all our copies anyway.
        const unsigned yes = 1;
        const CurrentCuda current(context);
        static_cast<void>(
            context.calls().PointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, range_.get()));
    }
    /// Another process's memory. Drivers that cannot map it for reading only map it for writing, too.
    MappedAllocation(const CudaContext& context, const UniqueFd& shared, std::uint64_t bytes)
        : context_(context),
          own_(false),
          memory_(context, shared),
          range_(context, bytes),
          mapping_(context, memory_, range_.get(), bytes) {
        if (mapping_.open(CU_MEM_ACCESS_FLAGS_PROT_READ) != CUDA_SUCCESS) {
            checkCuda(mapping_.open(CU_MEM_ACCESS_FLAGS_PROT_READWRITE), "cuMemSetAccess", context.name());
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
    const CudaContext& context_;
    const bool own_;
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
    return std::make_unique<MappedAllocation>(context, descriptor, bytes);
}

}  // namespace verbcast
