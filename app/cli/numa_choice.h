// --numa: the NUMA node for a program's rings and the threads that fill and read them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/stream_options.h"
#include "core/memory/numa.h"
#include "core/stats/numa_stats.h"

namespace verbcast {

/// Parses "auto", "off", "1". Throws Error{Usage} for anything else; whether the node exists is checked
/// later.
NumaChoice parseNuma(const std::string& text);

/// Adds --numa.
void addNuma(OptionList& options, NumaChoice& choice, const char* what = "NUMA node for memory and threads.");

/// A device that the program's bytes pass through, and its node; nullopt: unknown.
struct NumaDevice {
    std::string name;
    std::optional<int> node;
};

/// Devices used by the sessions with these peers; none for peers on this machine. `root`: the parent of sys/.
/// May ask the name service, which takes at most a few seconds.
std::vector<NumaDevice> devicesTowards(const std::vector<SessionAddress>& peers,
                                       const std::filesystem::path& root);

/// Chooses, without side effects. Throws Error{Usage}, listing the nodes, if the given one does not exist.
NumaStats chooseNode(const NumaChoice& choice, const std::vector<NumaNode>& nodes,
                     const std::vector<NumaDevice>& devices);

/// Throws that for this machine, before anything starts.
void requireNode(const NumaChoice& choice);

/// The same for this machine, unless numactl has chosen; logs the choice. Calls `devicesInUse` only if it
/// matters: on machines with several nodes.
NumaStats choosePlace(const NumaChoice& choice, const std::function<std::vector<NumaDevice>()>& devicesInUse);
/// Moves the calling thread, the threads that it starts from now on, and their memory to the chosen node, if
/// any. Call before rings are made. Failures are logged and stored in stats.reason.
void takePlace(NumaStats& stats);

// For a command that streams: both set options.numa.
void choosePlace(StreamOptions& options, const std::vector<SessionAddress>& peers);
void takePlace(StreamOptions& options, const std::vector<SessionAddress>& peers);

}  // namespace verbcast
