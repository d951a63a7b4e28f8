// A GPU's primary context, which this process shares with whoever else uses it (OpenGL, FFmpeg).
#pragma once

#include <memory>
#include <string>

#include "core/gpu/cuda/cuda_driver.h"

namespace verbcast {

/// Safe from any thread. Alive as long as anybody shares it.
class CudaContext {
  public:
    /// The one of that GPU. Throws Error{Device} where there is none, with the reason and what mends it.
    static std::shared_ptr<const CudaContext> of(int gpu);
    explicit CudaContext(int gpu);
    ~CudaContext();
    CudaContext(const CudaContext&) = delete;
    CudaContext& operator=(const CudaContext&) = delete;

    const CudaCalls& calls() const { return calls_; }
    /// "NVIDIA RTX 6000 (GPU 0)"
    const std::string& name() const { return name_; }
    bool exportsDmaBufs() const { return exportsDmaBufs_; }

  private:
    friend class CurrentCuda;
    const CudaCalls& calls_;
    std::string name_;
    bool exportsDmaBufs_ = false;
    CUdevice device_ = 0;
    CUcontext context_ = nullptr;
};

/// The context is current on this thread as long as this lives.
class CurrentCuda {
  public:
    /// Throws Error{Device} when the context has failed.
    explicit CurrentCuda(const CudaContext& context);
    ~CurrentCuda();
    CurrentCuda(const CurrentCuda&) = delete;
    CurrentCuda& operator=(const CurrentCuda&) = delete;

  private:
    const CudaCalls& calls_;
};

}  // namespace verbcast
