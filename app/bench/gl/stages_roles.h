// bench stages, the processes that need OpenGL. All throw Error{Display} without it.
#pragma once

#include "app/bench/workers/worker.h"

namespace verbcast {

/// The viewing process: receives, uploads, draws, reads back. Throws before it listens.
nlohmann::json stagesReceiveRole(const nlohmann::json& job, const WorkerEmit& emit);

/// The process that renders a scene, reads it back and sends it: the sending end of the whole pipeline.
/// Throws Error{Usage} for unknown scenes.
nlohmann::json stagesRenderRole(const nlohmann::json& job, const WorkerEmit& emit);

/// Reads the same pictures back without sending them. Returns {read_back, pixel_format}.
nlohmann::json stagesReadBackRole(const nlohmann::json& job, const WorkerEmit& emit);

/// Uploads frames of the job's size and format without a sender. Returns {upload, path}.
nlohmann::json stagesUploadRole(const nlohmann::json& job, const WorkerEmit& emit);

}  // namespace verbcast
