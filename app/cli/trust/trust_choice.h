// The user's choice of whom a command or window lets in, its options, and what it means for one address.
#pragma once

#include <string>

#include "app/cli/options/option_list.h"
#include "core/session/trust/trust.h"
#include "core/transport/url.h"

namespace verbcast {

struct TrustChoice {
    std::string keyFile{};  ///< empty: no file
    std::string grants{};   ///< "view,input"; empty: all
    bool encrypt = false;
    bool open = false;

    /// For one of two sides: without `listens`, drops what concerns only listeners.
    TrustChoice of(bool listens) const;
};

/// --key-file, --encrypt and, for listeners, --open and --grant.
void addTrust(OptionList& options, TrustChoice& choice);
/// Only those of a command that connects.
void addKey(OptionList& options, TrustChoice& choice);

/// Takes the key from the file; without one, from VERBCAST_KEY; else, when connecting, from pairing with that
/// host. Throws Error{Usage}.
Trust trustFor(const TrustChoice& choice, bool listens, const Url& url);

/// Parses "view,input". Throws Error{Usage}.
Grants parseGrants(const std::string& text);
std::string grantsText(Grants grants);

}  // namespace verbcast
