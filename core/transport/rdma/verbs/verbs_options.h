// The options of a verbs:// URL after the question mark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/transport/url.h"

namespace verbcast {

struct VerbsOptions {
    std::optional<std::string> device;  ///< device=mlx5_0
    std::optional<int> port;            ///< port=1
    std::optional<int> gid;             ///< gid=3: index in the port's table
    bool immediate = true;              ///< immediate=off: RDMA WRITEs followed by a SEND
    bool windows = true;  ///< windows=off: keys of registrations, as for devices without memory windows
    /// timeout=MS: how long the device retransmits unacknowledged packets, as the exponent of 4.096 us.
    std::uint8_t ackTimeoutExponent = 14;

    bool choosesDevice() const { return device || port || gid; }
};

/// Transmissions of a packet before the device gives up: the first one and six retries. Not seven: rxe takes
/// a retry count of 7 to mean "forever" and would never report a dead link.
inline constexpr int kTransmissions = 7;

/// Throws Error{Usage} for an unknown option or value.
VerbsOptions parseVerbsOptions(const Url& url);

}  // namespace verbcast
