// verbcast render: a scene drawn off-screen, read back and sent.
#pragma once

#include "app/commands/render/render_options.h"

namespace verbcast {

/// Returns the exit code. Throws Error{Display} without OpenGL 3.3.
int runRender(const RenderOptions& options);

}  // namespace verbcast
