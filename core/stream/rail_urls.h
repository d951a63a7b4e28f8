// Which addresses can be rails of one stream.
#pragma once

#include <vector>

#include "core/transport/url.h"

namespace verbcast {

/// Throws Error{Usage} for too many rails, one that shares memory or is a group, the same address twice, and
/// rails to listen at.
void checkRails(const std::vector<Url>& urls, bool listen);

}  // namespace verbcast
