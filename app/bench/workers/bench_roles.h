// Roles of the benchmark's worker processes; see worker.h.
#pragma once

#include "app/bench/workers/worker.h"

namespace verbcast {

nlohmann::json framesSendRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json framesReceiveRole(const nlohmann::json& job, const WorkerEmit& emit);
/// Takes a job per stream; returns their results and their total cost.
nlohmann::json framesReceiveAllRole(const nlohmann::json& jobs, const WorkerEmit& emit);
/// Take a ViewersJob; the second returns an array of the viewers' results.
nlohmann::json viewersSendRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json viewersReceiveRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json limitWriteRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json sweepEchoRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json rpcServeRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json stagesSendRole(const nlohmann::json& job, const WorkerEmit& emit);

}  // namespace verbcast
