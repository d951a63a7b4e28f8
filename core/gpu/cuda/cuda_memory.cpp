// Memory of a GPU by cuMemAlloc, its copies over the bus, and what it gives to RDMA devices.
#include <fmt/format.h>

#include <mutex>

#include "core/base/align.h"
#include "core/base/error.h"
#include "core/gpu/cuda/cuda_context.h"
#include "core/gpu/gpu_memory.h"
#include "core/memory/memory.h"

namespace verbcast {
namespace {

/// Allocations of whole blocks of this size begin at one: pages of every kind fit, also those of BAR1.
constexpr std::uint64_t kGpuBlock = 2U << 20;

/// Host memory that the GPU copies from and to by DMA.
class PinnedForCuda final : public PinnedMemory {
  public:
    PinnedForCuda(std::shared_ptr<const CudaContext> context, std::shared_ptr<const Memory> host)
        : context_(std::move(context)), host_(std::move(host)) {
        const unsigned flags =
            CU_MEMHOSTREGISTER_PORTABLE | (host_->writable() ? 0U : CU_MEMHOSTREGISTER_READ_ONLY);
        const CurrentCuda current(*context_);
        checkCuda(context_->calls().MemHostRegister(host_->bytes().data(), host_->bytes().size(), flags),
                  "cuMemHostRegister", fmt::format("{} MiB", host_->bytes().size() >> 20));
    }
    ~PinnedForCuda() override {
        try {
            const CurrentCuda current(*context_);
            static_cast<void>(context_->calls().MemHostUnregister(host_->bytes().data()));
        } catch (const Error&) {  // the GPU has failed, and its pins with it
        }
    }

  private:
    std::shared_ptr<const CudaContext> context_;
    std::shared_ptr<const Memory> host_;
};

/// The calls that allocate and make a stream, each with what takes it back.
class CudaAllocation {
  public:
    CudaAllocation(const CudaContext& context, std::uint64_t bytes) : context_(context) {
        const CurrentCuda current(context_);
        checkCuda(context_.calls().MemAlloc(&address_, bytes), "cuMemAlloc",
                  fmt::format("{}, {} MiB", context_.name(), bytes >> 20));
    }
    ~CudaAllocation() {
        try {
            const CurrentCuda current(context_);
            static_cast<void>(context_.calls().MemFree(address_));
        } catch (const Error&) {  // went with its context
        }
    }
    CudaAllocation(const CudaAllocation&) = delete;
    CudaAllocation& operator=(const CudaAllocation&) = delete;
    CUdeviceptr get() const { return address_; }

  private:
    const CudaContext& context_;
    CUdeviceptr address_ = 0;
};

class CudaStream {
  public:
    explicit CudaStream(const CudaContext& context) : context_(context) {
        const CurrentCuda current(context_);
        checkCuda(context_.calls().StreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate",
                  context_.name());
    }
    ~CudaStream() {
        try {
            const CurrentCuda current(context_);
            static_cast<void>(context_.calls().StreamDestroy(stream_));
        } catch (const Error&) {
        }
    }
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;
    CUstream get() const { return stream_; }

  private:
    const CudaContext& context_;
    CUstream stream_ = nullptr;
};

class CudaMemory final : public DeviceMemory {
  public:
    CudaMemory(int gpu, std::uint64_t bytes)
        : context_(CudaContext::of(gpu)), bytes_(bytes), memory_(*context_, bytes_), stream_(*context_) {
        // Copies are done when they return, also towards devices that CUDA does not know of.
        const unsigned yes = 1;
        const CurrentCuda current(*context_);
        checkCuda(
            context_->calls().PointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory_.get()),
            "cuPointerSetAttribute(SYNC_MEMOPS)", context_->name());
    }

    DeviceMemoryAddress address() const override { return DeviceMemoryAddress{memory_.get()}; }
    std::uint64_t size() const override { return bytes_; }
    const std::string& deviceName() const override { return context_->name(); }

    ExportedMemory exportDmaBuf() const override {
        if (!context_->exportsDmaBufs()) {
            return {{}, "this GPU and its driver export none"};
        }
        if (memory_.get() % wholePages(1) != 0) {
            return {{}, "the driver did not align the memory"};
        }
        try {
            const CurrentCuda current(*context_);
            int descriptor = -1;
            checkCuda(context_->calls().MemGetHandleForAddressRange(&descriptor, memory_.get(), bytes_,
                                                                    CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
                      "cuMemGetHandleForAddressRange", context_->name());
            return {UniqueFd(descriptor), ""};
        } catch (const Error& error) {
            return {{}, error.what()};
        }
    }

    void read(std::uint64_t offset, std::span<std::byte> into) const override {
        const CUdeviceptr from = placeOf(offset, into.size());
        const std::lock_guard lock(mutex_);
        const CurrentCuda current(*context_);
        checkCuda(context_->calls().MemcpyDtoHAsync(into.data(), from, into.size(), stream_.get()),
                  "cuMemcpyDtoHAsync", context_->name());
        finish();
    }

    void write(std::uint64_t offset, std::span<const std::byte> from) const override {
        const CUdeviceptr into = placeOf(offset, from.size());
        const std::lock_guard lock(mutex_);
        const CurrentCuda current(*context_);
        checkCuda(context_->calls().MemcpyHtoDAsync(into, from.data(), from.size(), stream_.get()),
                  "cuMemcpyHtoDAsync", context_->name());
        finish();
    }

    std::unique_ptr<PinnedMemory> pin(std::shared_ptr<const Memory> host) const override {
        return std::make_unique<PinnedForCuda>(context_, std::move(host));
    }

  private:
    CUdeviceptr placeOf(std::uint64_t offset, std::uint64_t bytes) const {
        if (bytes == 0 || offset > bytes_ || bytes > bytes_ - offset) {
            throw Error(ErrorKind::Internal, fmt::format("{} bytes at {} lie outside {} of {}", bytes, offset,
                                                         bytes_, context_->name()));
        }
        return memory_.get() + offset;
    }

    /// Of copies: what went wrong in one is told here.
    void finish() const {
        checkCuda(context_->calls().StreamSynchronize(stream_.get()), "cuStreamSynchronize",
                  context_->name());
    }

    std::shared_ptr<const CudaContext> context_;  // shared by all memory of the GPU
    std::uint64_t bytes_;
    CudaAllocation memory_;
    CudaStream stream_;
    mutable std::mutex mutex_;  // one copy after the other
};

}  // namespace

std::unique_ptr<const DeviceMemory> allocateGpuMemory(int gpu, std::uint64_t bytes) {
    return std::make_unique<CudaMemory>(gpu, roundUp(bytes, kGpuBlock));
}

}  // namespace verbcast
