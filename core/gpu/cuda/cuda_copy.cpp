#include "core/gpu/cuda/cuda_stream.h"
#include "core/gpu/gpu_copy.h"

namespace verbcast {
namespace {

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

std::unique_ptr<GpuCopy> makeGpuCopy(int gpu) {
    return std::make_unique<CudaCopy>(gpu);
}

}  // namespace verbcast
