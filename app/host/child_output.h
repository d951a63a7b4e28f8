// Another program's output, with a time limit.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace verbcast {

/// What the program prints on its standard output; its standard error is dropped. Nothing when it cannot be
/// started, does not end in time (it is then killed), or ends with another code than 0.
std::optional<std::string> childOutput(const std::vector<std::string>& command,
                                       std::chrono::milliseconds patience);

}  // namespace verbcast
