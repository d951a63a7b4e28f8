// Streams and events of one GPU. Whoever waits for them sleeps: a stream that is synchronised by itself keeps
// a processor busy.
#pragma once

#include "core/gpu/cuda/cuda_context.h"

namespace verbcast {

/// A point in a stream's work. One thread at a time. The context must outlive it.
class CudaEvent {
  public:
    explicit CudaEvent(const CudaContext& context)
        : event_(context, "cuEventCreate", context.name(), [&](CUevent& event) {
              return context.calls().EventCreate(&event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING);
          }) {}

    // The following need the current context, and throw Error{Device} if the GPU has failed.

    /// Marks everything that was started on the stream so far.
    void record(CUstream stream) const { check(calls().EventRecord(event_.get(), stream), "cuEventRecord"); }
    bool isDone() const {
        const CUresult result = calls().EventQuery(event_.get());
        if (result != CUDA_ERROR_NOT_READY) {
            check(result, "cuEventQuery");
        }
        return result == CUDA_SUCCESS;
    }
    void wait() const { check(calls().EventSynchronize(event_.get()), "cuEventSynchronize"); }

  private:
    const CudaCalls& calls() const { return event_.context().calls(); }
    void check(CUresult result, std::string_view call) const {
        checkCuda(result, call, event_.context().name());
    }

    CudaHandle<CUevent, &CudaCalls::EventDestroy> event_;
};

/// Takes precedence over this process's other work on the GPU, if the GPU has priorities. One thread at a
/// time. The context must outlive it.
class CudaStream {
  public:
    /// Whether its work waits for what was started before in the context's default stream, where FFmpeg
    /// works.
    enum class Order { OfItsOwn, AfterDefaultStream };

    explicit CudaStream(const CudaContext& context, Order order = Order::OfItsOwn)
        : done_(context),
          stream_(context, "cuStreamCreateWithPriority", context.name(), [&](CUstream& stream) {
              int least = 0, greatest = 0;
              checkCuda(context.calls().CtxGetStreamPriorityRange(&least, &greatest),
                        "cuCtxGetStreamPriorityRange", context.name());
              const unsigned flags = order == Order::OfItsOwn ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
              return context.calls().StreamCreateWithPriority(&stream, flags, greatest);
          }) {}
    CUstream get() const { return stream_.get(); }

    /// Waits for all that was started on it. Throws Error{Device} if any of it went wrong.
    void finish() const {
        try {
            done_.record(get());
        } catch (const Error&) {
            settle();
            throw;
        }
        done_.wait();
    }
    /// The same after an error, which is the one to report: others are about to use what was to be
    /// copied.
    void settle() const noexcept { static_cast<void>(stream_.context().calls().StreamSynchronize(get())); }

  private:
    CudaEvent done_;
    CudaHandle<CUstream, &CudaCalls::StreamDestroy> stream_;
};

}  // namespace verbcast
