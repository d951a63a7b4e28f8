// How our programs end on an error.
#pragma once

#include <exception>

namespace verbcast {

/// Prints the error and its remedy on stderr and returns the exit code. Call it in a catch block.
int reportCurrentError();

}  // namespace verbcast
