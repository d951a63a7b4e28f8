// Where stages listen, and how the others reach them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/pipe/run/pipeline_options.h"
#include "app/pipe/run/remote_stage.h"
#include "core/transport/url.h"

namespace verbcast {

/// What a stage, by its number, listens on for one of its ends ("in", "out"): all addresses and a free port,
/// or a name of its own. `scheme`: a transport's; "": any.
std::string listenAddress(const std::string& scheme, std::size_t stage, const char* end);
/// Where to connect to a stage that is ready and listens there. Throws Error{Peer} for a stage that has not
/// said where.
Url addressOf(const PipelineOptions& options, const RemoteStage& stage,
              const std::vector<std::string>& listening);

}  // namespace verbcast
