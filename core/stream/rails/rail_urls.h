// Which addresses can be rails of one stream.
#pragma once

#include <string>
#include <vector>

#include "core/transport/url.h"

namespace verbcast {

/// Throws Error{Usage} for too many rails, one that shares memory or is a group, the same address twice, and
/// rails to listen at.
void checkRails(const std::vector<Url>& urls, bool listen);
/// The same where the others are to be found.
void checkRailsOf(const Url& url, bool listen);

/// "tcp://10.0.1.2:7423, tcp://10.0.2.2:7423"
std::string textOf(const std::vector<Url>& urls);

/// None but that one was found.
void warnOfOneRail(const Url& url, const std::string& reason);

}  // namespace verbcast
