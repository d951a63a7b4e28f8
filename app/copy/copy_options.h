// Options of `verbcast copy`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/pipe/run/pipeline_options.h"

namespace verbcast {

struct CopyOptions {
    std::vector<std::string> sources;
    std::string target;      ///< on the host; relative to the home folder there
    PipelineOptions access;  ///< with one stage, whose command is filled in later
    bool recursive = false;
    bool resume = false;
};

/// Options of `verbcast copy-receive`, the command on the host.
struct CopyReceiveOptions {
    std::string target;
    bool intoFolder = false;  ///< the target must be a folder: several things are coming
    bool resume = false;
    std::uint64_t maxListBytes =
        1U << 30;  ///< memory limit for the list of what is coming: some 5 million files
};

}  // namespace verbcast
