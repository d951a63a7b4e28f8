// Shared mappings of the program under test, each between two pages that nobody may touch: a byte before or
// beyond is a crash, or EFAULT from a system call.
#pragma once

#include <cstddef>

namespace verbcast::fuzz {

/// How many there are now.
std::size_t guardedMappings();

}  // namespace verbcast::fuzz
