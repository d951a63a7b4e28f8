// verbcast copy: copies files and folders to another host.
#pragma once

#include "app/copy/copy_options.h"

namespace verbcast {

/// Returns the exit code: 0 if everything was copied. Throws Error if it cannot start.
int runCopy(const CopyOptions& options);
/// The command on the host: talks to runCopy() over standard input and output.
int runCopyReceive(const CopyReceiveOptions& options);

}  // namespace verbcast
