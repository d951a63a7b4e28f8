// Derives the options of a broadcast's parts from its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/multicast/group_hub.h"
#include "core/session/greeting/handshake.h"
#include "core/stream/admission.h"
#include "core/stream/audience.h"
#include "core/stream/broadcast.h"

namespace verbcast {

/// Null without a multicast group. Throws what GroupHub throws, and Error{Usage} if there can be no group.
std::shared_ptr<GroupHub> groupOf(const SenderOptions& options);
/// Port of the fallback's listener among these, which viewers of a group connect to. Throws Error{Usage} if
/// there is none.
std::uint16_t fallbackPortOf(const std::vector<std::string>& addresses);
AudienceOptions audienceOptions(const SenderOptions& options, std::shared_ptr<GroupHub> group);
AudienceOptions previewOptions(const SenderOptions& options, ArmedEvent& joined);
HandshakeOptions greetingOf(const SenderOptions& options);
/// Throws what AudienceAcceptor and AudienceDialler throw.
std::unique_ptr<Admission> admissionTo(Audience& audience, const SenderOptions& options);

}  // namespace verbcast
