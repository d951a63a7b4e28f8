// Processes that we start: what posix_spawn() wants, and waiting for their end.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/base/unique_fd.h"

namespace verbcast {

/// The words as argv and environ hold them, null at the end; valid as long as the words are.
std::vector<char*> pointersTo(const std::vector<std::string>& words);

/// Becomes readable when that child of ours ends. Empty when the kernel has none (before Linux 5.3).
UniqueFd processDescriptor(pid_t child);

}  // namespace verbcast
