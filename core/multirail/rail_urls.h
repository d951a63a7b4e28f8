// Which addresses can be rails of one stream.
#pragma once

#include <string>
#include <vector>

#include "core/transport/url.h"

namespace verbcast {

/// Throws Error{Usage} for too many rails, one that shares memory, is a group or has no scheme, the same
/// address twice, or rails for a side that listens.
void checkRails(const std::vector<Url>& urls, bool listen);
/// The same if the other rails have yet to be found.
void checkRailsOf(const Url& url, bool listen);

/// "tcp://10.0.1.2:7423, tcp://10.0.2.2:7423"
std::string textOf(const std::vector<Url>& urls);

/// Warns that no rail but that one was found.
void warnOfOneRail(const Url& url, const std::string& reason);

}  // namespace verbcast
