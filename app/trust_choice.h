// Whom a command or a window lets in, as it was asked for, and what that means for one address.
#pragma once

#include <string>

#include "core/session/trust.h"
#include "core/transport/url.h"

namespace verbcast {

struct TrustChoice {
    std::string keyFile{};  ///< empty: none of a file
    std::string grants{};   ///< "view,input"; empty: all
    bool encrypt = false;
    bool open = false;
};

/// The key is that of the file; without one, of VERBCAST_KEY; without that, when connecting, the one that was
/// agreed with that host by pairing. Throws Error{Usage}.
Trust trustFor(const TrustChoice& choice, bool listens, const Url& url);

/// "view,input" as a set. Throws Error{Usage}.
Grants parseGrants(const std::string& text);
std::string grantsText(Grants grants);

}  // namespace verbcast
