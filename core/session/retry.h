// Connecting to a peer that may not be there yet.
#pragma once

#include <chrono>
#include <string>

#include "core/session/rendezvous.h"

namespace verbcast {

/// Tries until somebody answers or `cancel` is set (then the channel is null). Unknown hosts and refused
/// ports are tried again, since the peer or its network may come up later; Error{Usage, Device, Resource} is
/// thrown at once. When `patience` is over, what failed last is thrown.
Connection connectWithRetry(const Url& url, const TransportOptions& options, const Event& cancel,
                            std::chrono::nanoseconds patience = std::chrono::nanoseconds::max());

/// This machine's name, for greetings.
std::string hostName();

}  // namespace verbcast
