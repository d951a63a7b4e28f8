// verbcast copy: files and folders to another host.
#pragma once

#include "app/copy/copy_options.h"

namespace verbcast {

/// Returns the exit code: 0 when everything was copied. Throws Error if it cannot begin.
int runCopy(const CopyOptions& options);
/// The command at the host: speaks with runCopy() over standard input and output.
int runCopyReceive(const CopyReceiveOptions& options);

}  // namespace verbcast
