// What the functions that stand before a program's own have in common.
#pragma once

#include "capture/run/swap_capture.h"

#define VERBCAST_HOOK extern "C" __attribute__((visibility("default")))

namespace verbcast {

/// What the program would have called; null: there is no such function. Programs that load a library by
/// themselves keep it out of the global scope: then it is asked for by its name.
void* realFunction(const char* library, const char* name);

/// Set while the calling thread swaps and the capture is to be told what is presented.
extern thread_local SwapCapture* swapping;

}  // namespace verbcast
