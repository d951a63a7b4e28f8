// A stream of one GPU, for copies that are waited for.
#pragma once

#include "core/base/error.h"
#include "core/gpu/cuda/cuda_context.h"

namespace verbcast {

/// One thread at a time. The context must outlive it.
class CudaStream {
  public:
    /// Whether its work waits for what was started before in the context's default stream, where FFmpeg
    /// works.
    enum class Order { OfItsOwn, AfterDefaultStream };

    explicit CudaStream(const CudaContext& context, Order order = Order::OfItsOwn) : context_(context) {
        const CurrentCuda current(context_);
        const unsigned flags = order == Order::OfItsOwn ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
        checkCuda(context_.calls().StreamCreate(&stream_, flags), "cuStreamCreate", context_.name());
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

    /// Waits for all that was started on it. Throws Error{Device} if any of it went wrong.
    void finish() const {
        checkCuda(context_.calls().StreamSynchronize(stream_), "cuStreamSynchronize", context_.name());
    }
    /// The same after an error, which is the one to tell: what was to be copied is about to be used by
    /// others.
    void settle() const {
        try {
            finish();
        } catch (const Error&) {
        }
    }

  private:
    const CudaContext& context_;
    CUstream stream_ = nullptr;
};

}  // namespace verbcast
