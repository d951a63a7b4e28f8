// Callers at a listener: accepting them, how many may wait, and who makes room for one more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "core/base/os/unique_fd.h"
#include "core/transport/socket_address.h"

namespace verbcast {

struct CallerLimits {
    std::size_t total = 0;
    std::size_t perHost = 0;
};

/// Which of `callers` (the oldest first, each with a member `host`) to drop before one of `host` joins them;
/// callers.end() if there is room. One of `host` itself if that has its share already, else one of the hosts
/// with the most callers, so that a crowd of one host keeps no other out. Of those, one that `rank`, from 0
/// up, gives the lowest number; of equals, the oldest.
template <typename Callers, typename Rank>
auto callerToDrop(Callers& callers, const std::string& host, const CallerLimits& limits, Rank rank) {
    std::map<std::string, std::size_t> demand;
    for (const auto& each : callers) {
        ++demand[each.host];
    }
    const bool tooOften = demand[host] >= limits.perHost;
    if (!tooOften && callers.size() < limits.total) {
        return callers.end();
    }
    std::size_t most = 0;
    for (const auto& [name, count] : demand) {
        most = std::max(most, count);
    }
    const auto out = [&](const auto& one, const auto& other) {
        const auto stays = [&](const auto& each) {
            return tooOften ? each.host != host : demand[each.host] != most;
        };
        return stays(one) != stays(other) ? stays(other) : !stays(one) && rank(one) < rank(other);
    };
    return std::min_element(callers.begin(), callers.end(), out);
}

/// The next caller, as a non-blocking socket; empty when nobody is waiting. `from` (may be null) gets its
/// address. Callers lost before they could be accepted are logged, with `listener` as the place. Throws
/// Error{Resource} when this process or machine is short of descriptors or memory: the caller keeps waiting,
/// and the listening socket stays readable.
UniqueFd acceptSocket(int listening, const std::string& listener, SocketAddress* from = nullptr);

}  // namespace verbcast
