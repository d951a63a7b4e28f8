// verbcast render: a scene drawn off-screen, read back and sent.
#pragma once

#include "app/send/send_options.h"

namespace verbcast {

/// The exit code. Throws Error{Display} when there is no OpenGL 3.3.
int runRender(const RenderOptions& options);

}  // namespace verbcast
