// bench stages, the process that renders a scene, reads it back and sends it.
#pragma once

#include "app/bench/workers/worker.h"

namespace verbcast {

/// The sending end of the whole pipeline. Throws Error{Display} without OpenGL, Error{Usage} for unknown
/// scenes.
nlohmann::json stagesRenderRole(const nlohmann::json& job, const WorkerEmit& emit);

/// Reads the same pictures back without sending them. Returns {read_back, pixel_format}.
nlohmann::json stagesReadBackRole(const nlohmann::json& job, const WorkerEmit& emit);

/// Uploads frames of the job's size and format without a sender. Returns {upload, path}.
nlohmann::json stagesUploadRole(const nlohmann::json& job, const WorkerEmit& emit);

}  // namespace verbcast
