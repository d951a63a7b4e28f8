// Another program's output, with a time limit.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace verbcast {

/// Returns what the program prints on standard output; drops its standard error. Returns nullopt if it cannot
/// be started, does not end in time (it is then killed), prints a mebibyte or more, or exits with another
/// code than 0.
std::optional<std::string> childOutput(const std::vector<std::string>& command,
                                       std::chrono::milliseconds patience);

}  // namespace verbcast
