// bench stages, the viewing process: receives, uploads, draws, reads back.
#pragma once

#include "app/bench/workers/worker.h"

namespace verbcast {

/// Throws Error{Display}, before it listens, without OpenGL.
nlohmann::json stagesReceiveRole(const nlohmann::json& job, const WorkerEmit& emit);

}  // namespace verbcast
