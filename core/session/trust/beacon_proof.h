// What proves that a group's beacon was made by somebody with the key: HMAC-SHA256 (RFC 2104) with a key
// derived from it, cut to a tag's length.
//
// It covers the datagram, the group, and the address that it comes from: a copy from elsewhere, or in another
// group, proves nothing. A copy from the same address leads there, where a session proves the rest.
#pragma once

#include <netinet/in.h>

#include <cstddef>
#include <span>
#include <vector>

#include "core/session/trust/session_key.h"
#include "core/transport/multicast/group_address.h"

namespace verbcast {

/// Appends the proof to a beacon that leaves from that address.
void proveBeacon(std::vector<std::byte>& beacon, const SessionKey& key, const multicast::GroupAddress& group,
                 in_addr from);
/// Whether a beacon that came from there ends with the proof. Safe for any bytes.
bool isProvenBeacon(std::span<const std::byte> beacon, const SessionKey& key,
                    const multicast::GroupAddress& group, in_addr from);

}  // namespace verbcast
