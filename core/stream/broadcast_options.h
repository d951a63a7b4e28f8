// What a broadcast's parts are told, of what it was told itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/session/greeting/handshake.h"
#include "core/session/group/group_hub.h"
#include "core/stream/broadcast.h"
#include "core/stream/send/audience.h"
#include "core/stream/send/doors.h"

namespace verbcast {

/// Null where there is no multicast group. Throws as GroupHub does, and Error{Usage} where it cannot be.
std::shared_ptr<GroupHub> groupOf(const SenderOptions& options);
/// Of the tcp listener among these, which viewers of a group connect to. Throws Error{Usage} when there is
/// none.
std::uint16_t tcpPortOf(const std::vector<std::string>& addresses);
AudienceOptions audienceOptions(const SenderOptions& options, std::shared_ptr<GroupHub> group);
AudienceOptions previewOptions(const SenderOptions& options, ArmedEvent& joined);
HandshakeOptions handshakeOptions(const SenderOptions& options);
/// Throws as Doors does, and as checkRails().
std::unique_ptr<Doors> openDoors(const SenderOptions& options, const HandshakeOptions& handshake,
                                 Audience& audience);

}  // namespace verbcast
