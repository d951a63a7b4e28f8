// What `verbcast copy` was asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/pipe/run/pipeline_options.h"

namespace verbcast {

struct CopyOptions {
    std::vector<std::string> sources;
    std::string target;      ///< at the host; relative to the home folder there
    PipelineOptions access;  ///< of one stage, whose command is to be filled in
    bool recursive = false;
    bool resume = false;
};

/// `verbcast copy-receive`, the command at the host.
struct CopyReceiveOptions {
    std::string target;
    bool intoFolder = false;  ///< the target must be a folder: several things are coming
    bool resume = false;
    std::uint64_t maxListBytes =
        1U << 30;  ///< of memory for the list of what is coming: some 5 million files
};

}  // namespace verbcast
