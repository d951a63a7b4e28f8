// Memory of a GPU, its copies over the bus, and what it gives to RDMA devices.
#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "core/base/align.h"
#include "core/base/error.h"
#include "core/gpu/cuda/cuda_allocation.h"
#include "core/gpu/cuda/cuda_stream.h"
#include "core/gpu/gpu_memory.h"
#include "core/memory/memory.h"

namespace verbcast {
namespace {

/// Host memory that the GPU copies from and to by DMA.
class PinnedForCuda final : public PinnedMemory {
  public:
    PinnedForCuda(std::shared_ptr<const CudaContext> context, std::shared_ptr<const Memory> host)
        : context_(std::move(context)),
          host_(std::move(host)),
          pinned_(
              *context_, "cuMemHostRegister", fmt::format("{} MiB", host_->bytes().size() >> 20),
              [this](void*& start) {
                  start = host_->bytes().data();
                  return context_->calls().MemHostRegister(
                      start, host_->bytes().size(),
                      CU_MEMHOSTREGISTER_PORTABLE | (host_->writable() ? 0U : CU_MEMHOSTREGISTER_READ_ONLY));
              }) {}

  private:
    std::shared_ptr<const CudaContext> context_;
    std::shared_ptr<const Memory> host_;
    CudaHandle<void*, &CudaCalls::MemHostUnregister> pinned_;
};

/// "cuda " and the device's UUID; "" if others cannot map its memory.
std::string sharingIdOf(const CudaContext& context) {
    const GpuDevice& gpu = context.device();
    return gpu.sharesMemory && !gpu.uuid.empty() ? "cuda " + gpu.uuid : "";
}

class CudaMemory final : public DeviceMemory {
  public:
    CudaMemory(std::shared_ptr<const CudaContext> context, std::unique_ptr<CudaAllocation> memory,
               std::uint64_t bytes, bool isOurs)
        : context_(std::move(context)),
          bytes_(bytes),
          isOurs_(isOurs),
          memory_(std::move(memory)),
          stream_(*context_) {}

    DeviceMemoryAddress address() const override { return DeviceMemoryAddress{memory_->address()}; }
    std::uint64_t size() const override { return bytes_; }
    const std::string& deviceName() const override { return context_->name(); }

    ExportedMemory exportDmaBuf() const override {
        if (!context_->device().dmaBuf) {
            return {{}, "this GPU and its driver export none"};
        }
        if (memory_->address() % wholePages(1) != 0 || bytes_ % wholePages(1) != 0) {
            return {{}, "the memory is not of whole pages"};
        }
        try {
            const CurrentCuda current(*context_);
            int descriptor = -1;
            checkCuda(context_->calls().MemGetHandleForAddressRange(&descriptor, memory_->address(), bytes_,
                                                                    CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
                      "cuMemGetHandleForAddressRange", context_->name());
            return {UniqueFd(descriptor), ""};
        } catch (const Error& error) {
            return {{}, error.what()};
        }
    }

    void settleRemoteWrites() const override {
        if (ordersRemoteWrites() || !isOurs_) {  // nobody writes into another process's for us
            return;
        }
        const CurrentCuda current(*context_);
        checkCuda(
            context_->calls().FlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                                       CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER),
            "cuFlushGPUDirectRDMAWrites", context_->name());
    }

    std::string sharingId() const override { return isOurs_ ? sharingIdOf(*context_) : ""; }
    ExportedMemory share() const override { return memory_->share(); }

    std::string remoteWritesProblem() const override {
        return ordersRemoteWrites() || context_->device().flushesByCall
                   ? ""
                   : "it does not order what other devices write, and its driver flushes it by no call";
    }

    void read(std::uint64_t offset, std::span<std::byte> into) const override {
        const CUdeviceptr from = placeOf(offset, into.size());
        const std::lock_guard lock(mutex_);
        const CurrentCuda current(*context_);
        checkCuda(context_->calls().MemcpyDtoHAsync(into.data(), from, into.size(), stream_.get()),
                  "cuMemcpyDtoHAsync", context_->name());
        stream_.finish();
    }

    void write(std::uint64_t offset, std::span<const std::byte> from) const override {
        const CUdeviceptr into = placeOf(offset, from.size());
        const std::lock_guard lock(mutex_);
        const CurrentCuda current(*context_);
        checkCuda(context_->calls().MemcpyHtoDAsync(into, from.data(), from.size(), stream_.get()),
                  "cuMemcpyHtoDAsync", context_->name());
        stream_.finish();
    }

    std::unique_ptr<PinnedMemory> pin(std::shared_ptr<const Memory> host) const override {
        return std::make_unique<PinnedForCuda>(context_, std::move(host));
    }

  private:
    bool ordersRemoteWrites() const { return context_->device().writeOrder != GpuWriteOrder::Nobody; }

    CUdeviceptr placeOf(std::uint64_t offset, std::uint64_t bytes) const {
        if (bytes == 0 || offset > bytes_ || bytes > bytes_ - offset) {
            throw Error(ErrorKind::Internal, fmt::format("{} bytes at {} lie outside {} of {}", bytes, offset,
                                                         bytes_, context_->name()));
        }
        return memory_->address() + offset;
    }

    std::shared_ptr<const CudaContext> context_;  // shared by all memory of the GPU
    std::uint64_t bytes_;
    const bool isOurs_;
    std::unique_ptr<CudaAllocation> memory_;
    CudaStream stream_;
    mutable std::mutex mutex_;  // one copy at a time
};

class LentAllocation final : public CudaAllocation {
  public:
    explicit LentAllocation(DeviceMemoryAddress address) : address_(static_cast<CUdeviceptr>(address)) {}
    CUdeviceptr address() const override { return address_; }
    ExportedMemory share() const override { return {{}, "it is the program's own"}; }

  private:
    const CUdeviceptr address_;
};

class CudaAllocator final : public DeviceAllocator {
  public:
    explicit CudaAllocator(int gpu) : context_(CudaContext::of(gpu)) {}

    const std::string& deviceName() const override { return context_->name(); }
    std::unique_ptr<const DeviceMemory> allocate(std::uint64_t bytes) const override {
        const std::uint64_t whole = roundUp(bytes, kGpuBlock);
        return std::make_unique<CudaMemory>(context_, allocateCuda(*context_, whole), whole, true);
    }
    std::optional<std::uint64_t> freeBytes() const override {
        std::size_t free = 0, all = 0;
        const CurrentCuda current(*context_);
        return context_->calls().MemGetInfo(&free, &all) == CUDA_SUCCESS ? std::optional<std::uint64_t>(free)
                                                                         : std::nullopt;
    }

    std::string sharingId() const override { return refused_ ? "" : sharingIdOf(*context_); }
    std::unique_ptr<const DeviceMemory> mapShared(UniqueFd descriptor, std::uint64_t bytes) const override {
        try {
            if (bytes == 0 || bytes % kGpuBlock != 0) {
                throw Error(ErrorKind::Device, fmt::format("{} bytes are no whole blocks", bytes));
            }
            return std::make_unique<CudaMemory>(
                context_, mapSharedCuda(*context_, std::move(descriptor), bytes), bytes, false);
        } catch (const Error&) {
            refused_ = true;
            throw;
        }
    }

  private:
    std::shared_ptr<const CudaContext> context_;  // shared with all memory of the GPU
    mutable std::atomic<bool> refused_{false};    // to map what another process shares
};

class CudaCopy final : public GpuCopy {
  public:
    explicit CudaCopy(int gpu)
        : context_(CudaContext::of(gpu)), stream_(*context_, CudaStream::Order::AfterDefaultStream) {
        if (context_->calls().Memcpy2DAsync == nullptr) {
            throw Error(ErrorKind::Device, "NVIDIA's driver has no cuMemcpy2DAsync");
        }
    }

    void copy(std::span<const GpuRows> parts) override {
        const CurrentCuda current(*context_);
        try {
            for (const GpuRows& part : parts) {
                start(part);
            }
        } catch (const Error&) {
            stream_.settle();
            throw;
        }
        stream_.finish();
    }

  private:
    void start(const GpuRows& part) const {
        CUDA_MEMCPY2D copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = static_cast<CUdeviceptr>(part.from);
        copy.srcPitch = part.fromStride;
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = static_cast<CUdeviceptr>(part.into);
        copy.dstPitch = part.intoStride;
        copy.WidthInBytes = part.rowBytes;
        copy.Height = part.rows;
        checkCuda(context_->calls().Memcpy2DAsync(&copy, stream_.get()), "cuMemcpy2DAsync", context_->name());
    }

    std::shared_ptr<const CudaContext> context_;  // shared by all that use the GPU
    CudaStream stream_;
};

}  // namespace

std::shared_ptr<const DeviceAllocator> gpuAllocator(int gpu) {
    return std::make_shared<CudaAllocator>(gpu);
}

std::unique_ptr<const DeviceMemory> lentGpuMemory(int gpu, DeviceMemoryAddress address, std::uint64_t bytes) {
    return std::make_unique<CudaMemory>(CudaContext::of(gpu), std::make_unique<LentAllocation>(address),
                                        bytes, true);
}

std::unique_ptr<PinnedMemory> pinForGpu(int gpu, std::shared_ptr<const Memory> host) {
    return std::make_unique<PinnedForCuda>(CudaContext::of(gpu), std::move(host));
}

std::unique_ptr<GpuCopy> makeGpuCopy(int gpu) {
    return std::make_unique<CudaCopy>(gpu);
}

}  // namespace verbcast
