// Describes the renderer behind the current OpenGL context.
#pragma once

#include <string>

namespace verbcast {

/// "Mesa llvmpipe (LLVM 15.0.6), OpenGL 4.5 core".
std::string glRendererName();

/// Whether OpenGL draws on the CPU, where each pass over the pixels counts.
bool rendersInSoftware();

/// Whether NVIDIA's OpenGL draws, so that CUDA may reach what it draws.
bool drawsOnNvidia();

}  // namespace verbcast
