// Where stages listen and how others reach them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/pipe/run/pipeline_options.h"
#include "app/pipe/run/remote_stage.h"
#include "core/transport/url.h"

namespace verbcast {

/// What stage number `stage` listens on at one end ("in", "out"): all addresses and a free port, or a name of
/// its own. `scheme`: a transport's; "": any.
std::string listenAddress(const std::string& scheme, std::size_t stage, const char* end);
/// The host of the addresses at which others reach a stage: as --address says, or as ssh does.
std::string routeTo(const PipelineOptions& options, const RemoteStage& stage);
/// Where to connect to a ready stage that listens there. Throws Error{Peer} if the stage did not report it.
Url addressOf(const PipelineOptions& options, const RemoteStage& stage,
              const std::vector<std::string>& listening);

}  // namespace verbcast
