// Whom a command or a window lets in, as the user said, and what that means for one address.
#pragma once

#include <string>

#include "core/session/trust/trust.h"
#include "core/transport/url.h"

namespace verbcast {

struct TrustChoice {
    std::string keyFile{};  ///< empty: no file
    std::string grants{};   ///< "view,input"; empty: all
    bool encrypt = false;
    bool open = false;

    /// For one of two sides: one that does not listen ignores what concerns listeners.
    TrustChoice of(bool listens) const;
};

/// The key is that of the file; without one, that of VERBCAST_KEY; else, when connecting, the one from
/// pairing with that host. Throws Error{Usage}.
Trust trustFor(const TrustChoice& choice, bool listens, const Url& url);

/// "view,input" as a set. Throws Error{Usage}.
Grants parseGrants(const std::string& text);
std::string grantsText(Grants grants);

}  // namespace verbcast
