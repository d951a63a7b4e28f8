// bench stages, the process at the screen: receives, uploads, draws, reads back.
#pragma once

#include "app/bench/workers/worker.h"

namespace verbcast {

/// Throws Error{Display} before it listens when there is no OpenGL.
nlohmann::json stagesReceiveRole(const nlohmann::json& job, const WorkerEmit& emit);

}  // namespace verbcast
