// --gpu, of all commands that decode, draw or keep frames in a GPU.
#pragma once

#include "app/cli/cli11.h"

namespace verbcast {

/// Sets VERBCAST_GPU, which chosenGpu() reads, also in the helpers and workers that this process starts.
void addGpu(CLI::App& command);

}  // namespace verbcast
