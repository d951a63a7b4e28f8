// Options for the processors and devices that a command uses: --numa, --gpu.
#pragma once

#include "app/cli/numa_choice.h"
#include "app/cli/options/option_list.h"

namespace verbcast {

void addNuma(OptionList& options, NumaChoice& choice, const char* what = "NUMA node for memory and threads.");
void addGpu(OptionList& options);

}  // namespace verbcast
