// What the benchmark's second processes do; see worker.h.
#pragma once

#include "app/bench/workers/worker.h"

namespace verbcast {

nlohmann::json framesSendRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json framesReceiveRole(const nlohmann::json& job, const WorkerEmit& emit);
/// A job for each stream; their results, and what they have cost together.
nlohmann::json framesReceiveAllRole(const nlohmann::json& jobs, const WorkerEmit& emit);
/// ViewersJob; the second gives an array of each viewer's result.
nlohmann::json viewersSendRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json viewersReceiveRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json limitWriteRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json sweepEchoRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json rpcServeRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json stagesSendRole(const nlohmann::json& job, const WorkerEmit& emit);

}  // namespace verbcast
