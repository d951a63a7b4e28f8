// A GPU's primary context, which this process shares with other users of it (OpenGL, FFmpeg).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/error.h"
#include "core/gpu/cuda/cuda_driver.h"

namespace verbcast {

/// Thread-safe. Lives as long as anybody shares it.
class CudaContext {
  public:
    /// The context of that GPU. Throws Error{Device}, with the reason and a remedy, if there is none.
    static std::shared_ptr<const CudaContext> of(int gpu);
    explicit CudaContext(int gpu);
    ~CudaContext();
    CudaContext(const CudaContext&) = delete;
    CudaContext& operator=(const CudaContext&) = delete;

    const CudaCalls& calls() const { return calls_; }
    /// "NVIDIA RTX 6000 (GPU 0)"
    const std::string& name() const { return name_; }
    const GpuDevice& device() const { return gpu_; }
    CUdevice ordinal() const { return device_; }

  private:
    friend class CurrentCuda;
    const CudaCalls& calls_;
    GpuDevice gpu_;
    std::string name_;
    CUdevice device_ = 0;
    CUcontext context_ = nullptr;
};

/// Makes the context current on this thread as long as this lives.
class CurrentCuda {
  public:
    /// Throws Error{Device} if the context has failed.
    explicit CurrentCuda(const CudaContext& context);
    ~CurrentCuda();
    CurrentCuda(const CurrentCuda&) = delete;
    CurrentCuda& operator=(const CurrentCuda&) = delete;

  private:
    const CudaCalls& calls_;
};

/// For destructors: runs call() in the context. What has failed with its context is gone already.
template <typename Call>
void inContext(const CudaContext& context, Call&& call) noexcept {
    try {
        const CurrentCuda current(context);
        call();
    } catch (const Error&) {
    }
}

/// What one of the driver's calls made, and another, `kRelease`, gives back in the same context. The context
/// must outlive it.
template <typename Handle, auto kRelease>
class CudaHandle {
  public:
    /// make(handle) calls `call`; throws as checkCuda() does. `bytes`: what kRelease needs besides the
    /// handle, if it does.
    template <typename Make>
    CudaHandle(const CudaContext& context, std::string_view call, std::string_view object, Make&& make,
               std::uint64_t bytes = 0)
        : context_(context), bytes_(bytes) {
        const CurrentCuda current(context);
        checkCuda(make(handle_), call, object);
    }
    ~CudaHandle() {
        inContext(context_, [this] {
            const auto release = context_.calls().*kRelease;
            if constexpr (std::is_invocable_v<decltype(release), Handle, std::size_t>) {
                static_cast<void>(release(handle_, bytes_));
            } else {
                static_cast<void>(release(handle_));
            }
        });
    }
    CudaHandle(const CudaHandle&) = delete;
    CudaHandle& operator=(const CudaHandle&) = delete;

    Handle get() const { return handle_; }
    const CudaContext& context() const { return context_; }

  private:
    const CudaContext& context_;
    const std::uint64_t bytes_;
    Handle handle_{};
};

}  // namespace verbcast
