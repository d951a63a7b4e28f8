// The renderer behind the current OpenGL context.
#pragma once

#include <memory>
#include <string>

namespace verbcast {

class DeviceAllocator;

/// "Mesa llvmpipe (LLVM 15.0.6), OpenGL 4.5 core".
std::string glRendererName();

/// Whether OpenGL draws on the CPU, where each pass over the pixels counts.
bool rendersInSoftware();

/// Whether NVIDIA's OpenGL draws, so that CUDA may reach what it draws.
bool drawsOnNvidia();

/// The memory of the GPU that draws. If that is none of CUDA's: null, or with `must` Error{Device}.
std::shared_ptr<const DeviceAllocator> memoryOfDrawingGpu(bool must);

}  // namespace verbcast
