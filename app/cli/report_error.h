// Reports errors when our programs end.
#pragma once

#include <exception>
#include <string>

namespace verbcast {

/// Prints the error and its remedy on stderr and returns the exit code. Call in a catch block.
int reportCurrentError();
/// The same for one of several streams, with a label such as "stream 2: ".
int reportCurrentErrorOf(const std::string& label);

/// Ranks exit codes of several streams; the program returns the highest: errors above a reader that left,
/// that above an interrupt, that above 0.
int exitCodeRank(int code);

}  // namespace verbcast
