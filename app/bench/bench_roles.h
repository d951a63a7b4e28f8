// What the benchmark's second processes do; see worker.h.
#pragma once

#include "app/bench/worker.h"

namespace verbcast {

nlohmann::json framesSendRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json framesReceiveRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json limitWriteRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json sweepEchoRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json rpcServeRole(const nlohmann::json& job, const WorkerEmit& emit);
nlohmann::json stagesSendRole(const nlohmann::json& job, const WorkerEmit& emit);

}  // namespace verbcast
