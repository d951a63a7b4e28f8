// One thing that the doctor looked at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

enum class CheckState {
    Ok,
    Info,     ///< worth knowing; nothing to mend
    Warning,  ///< streams, but slower than it could, or not over every transport
    Failed,   ///< the stream that was asked for cannot run
};
/// "ok", "info", "warning", "failed": also in the JSON.
std::string_view checkStateName(CheckState state);

struct Check {
    std::string name;  ///< "RDMA MTU"
    CheckState state = CheckState::Ok;
    std::string seen;    ///< what was found, in words
    std::string remedy;  ///< the command that mends it; never empty for Warning and Failed
};

using Checks = std::vector<Check>;

void append(Checks& all, Checks more);

}  // namespace verbcast
