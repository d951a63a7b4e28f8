// What the main() of each of our programs does.
#pragma once

#include <functional>

namespace verbcast {

/// Runs `body`, which returns the exit code, and writes out what it has printed; reports an error that ends
/// either. Before that: descriptors 0 to 2 that are closed are reserved (core/base/os/standard_streams.h),
/// crashes are reported, messages go to stderr, and a write beyond the limit on the size of files
/// (RLIMIT_FSIZE) fails with EFBIG instead of raising SIGXFSZ. `program` is its name, which must stay valid.
int runMain(const char* program, const std::function<int()>& body);

}  // namespace verbcast
