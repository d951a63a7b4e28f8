// A GPU's primary context, which this process shares with other users of it (OpenGL, FFmpeg).
#pragma once

#include <memory>
#include <string>

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

}  // namespace verbcast
