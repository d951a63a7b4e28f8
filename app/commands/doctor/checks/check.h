// The result of one of the doctor's checks.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

enum class CheckState {
    Ok,
    Info,     ///< worth knowing; nothing to fix
    Warning,  ///< it streams, but slower than possible, or not over every transport
    Failed,   ///< the requested stream cannot run
};
/// "ok", "info", "warning", "failed"; also used in the JSON.
inline std::string_view checkStateName(CheckState state) {
    constexpr std::array kNames{"ok", "info", "warning", "failed"};
    return kNames.at(static_cast<std::size_t>(state));
}

struct Check {
    std::string name;  ///< "RDMA MTU"
    CheckState state = CheckState::Ok;
    std::string seen{};    ///< what was found, in words
    std::string remedy{};  ///< a command that fixes it; never empty for Warning and Failed
};

using Checks = std::vector<Check>;

}  // namespace verbcast
