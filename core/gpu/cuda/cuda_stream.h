// Streams and events of one GPU. Whoever waits for them sleeps: a stream that is synchronised by itself keeps
// a processor busy.
#pragma once

#include "core/base/error.h"
#include "core/gpu/cuda/cuda_context.h"

namespace verbcast {

/// A point in a stream's work. One thread at a time. The context must outlive it.
class CudaEvent {
  public:
    explicit CudaEvent(const CudaContext& context) : context_(context) {
        const CurrentCuda current(context_);
        checkCuda(context_.calls().EventCreate(&event_, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING),
                  "cuEventCreate", context_.name());
    }
    ~CudaEvent() {
        try {
            const CurrentCuda current(context_);
            static_cast<void>(context_.calls().EventDestroy(event_));
        } catch (const Error&) {  // the GPU has failed
        }
    }
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;

    // The following need the current context, and throw Error{Device} if the GPU has failed.

    /// Marks everything that was started on the stream so far.
    void record(CUstream stream) const {
        checkCuda(context_.calls().EventRecord(event_, stream), "cuEventRecord", context_.name());
    }
    bool isDone() const {
        const CUresult result = context_.calls().EventQuery(event_);
        if (result != CUDA_ERROR_NOT_READY) {
            checkCuda(result, "cuEventQuery", context_.name());
        }
        return result == CUDA_SUCCESS;
    }
    void wait() const {
        checkCuda(context_.calls().EventSynchronize(event_), "cuEventSynchronize", context_.name());
    }

  private:
    const CudaContext& context_;
    CUevent event_ = nullptr;
};

/// Takes precedence over this process's other work on the GPU, if the GPU has priorities. One thread at a
/// time. The context must outlive it.
class CudaStream {
  public:
    /// Whether its work waits for what was started before in the context's default stream, where FFmpeg
    /// works.
    enum class Order { OfItsOwn, AfterDefaultStream };

    explicit CudaStream(const CudaContext& context, Order order = Order::OfItsOwn)
        : context_(context), done_(context) {
        const CurrentCuda current(context_);
        int least = 0, greatest = 0;
        checkCuda(context_.calls().CtxGetStreamPriorityRange(&least, &greatest),
                  "cuCtxGetStreamPriorityRange", context_.name());
        const unsigned flags = order == Order::OfItsOwn ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
        checkCuda(context_.calls().StreamCreateWithPriority(&stream_, flags, greatest),
                  "cuStreamCreateWithPriority", context_.name());
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
        try {
            done_.record(stream_);
        } catch (const Error&) {
            settle();
            throw;
        }
        done_.wait();
    }
    /// The same after an error, which is the one to report: others are about to use what was to be
    /// copied.
    void settle() const noexcept { static_cast<void>(context_.calls().StreamSynchronize(stream_)); }

  private:
    const CudaContext& context_;
    CudaEvent done_;
    CUstream stream_ = nullptr;
};

}  // namespace verbcast
