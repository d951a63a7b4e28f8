// Whom a vc_sender or vc_receiver trusts.
#pragma once

#include "core/session/session_address.h"

namespace verbcast {

/// The fields of that name in the options of either.
struct TrustTerms {
    const char* keyFile;  ///< may be null
    bool encrypt;
    bool open;
};

/// For the address of a session: its url and listen are set. Throws Error{Usage}, also if the keys of paired
/// hosts cannot be read: a host that has one is not called without it.
Trust trustFrom(const TrustTerms& terms, const SessionAddress& address);

}  // namespace verbcast
