// bench stages, the process at a scene: renders, reads back, sends.
#pragma once

#include "app/bench/workers/worker.h"

namespace verbcast {

/// The whole pipeline's sending end. Throws Error{Display} when there is no OpenGL, Error{Usage} for unknown
/// scenes.
nlohmann::json stagesRenderRole(const nlohmann::json& job, const WorkerEmit& emit);

/// The same pictures read back with nobody to send them to: {read_back, pixel_format}.
nlohmann::json stagesReadBackRole(const nlohmann::json& job, const WorkerEmit& emit);

/// Frames of the job's size and format uploaded with nobody who sends them: {upload, path}.
nlohmann::json stagesUploadRole(const nlohmann::json& job, const WorkerEmit& emit);

}  // namespace verbcast
