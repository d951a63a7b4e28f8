// Places each shared mapping of the program under test between two inaccessible pages: an access outside it
// is a crash, or EFAULT from a system call.
#pragma once

#include <cstddef>

namespace verbcast::fuzz {

/// The current number of mappings.
std::size_t guardedMappings();

}  // namespace verbcast::fuzz
