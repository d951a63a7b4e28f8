// How our programs end on an error.
#pragma once

#include <exception>
#include <string>

namespace verbcast {

/// Prints the error and its remedy on stderr and returns the exit code. Call it in a catch block.
int reportCurrentError();
/// The same of one of several streams: "stream 2: ".
int reportCurrentErrorOf(const std::string& label);

/// Of several exit codes the worst is the program's: an error above a reader that has gone, above an
/// interrupt, above none.
int exitCodeRank(int code);

}  // namespace verbcast
