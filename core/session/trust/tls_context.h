// Sessions of OpenSSL whose keys are external PSKs (RFC 8446, 4.2.11), and how they find them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "core/session/trust/trust.h"

struct ssl_st;

namespace verbcast {

/// The keys of one handshake, as OpenSSL's callbacks see them.
struct TlsKeys {
    /// Connecting: ours. Listening: the caller's, once it has named one that there is.
    std::optional<NamedKey> key;
    /// Listening: the key of that name, if there is one.
    std::function<std::optional<SessionKey>(std::string_view name)> find;
    bool unknown = false;  ///< the caller named a key that there is not
    int lookUps = 0;
};

struct FreeSsl {
    void operator()(ssl_st* ssl) const noexcept;
};
using Ssl = std::unique_ptr<ssl_st, FreeSsl>;

/// A session of TLS 1.3 over two memory BIOs that has not begun its handshake. The keys stay where they are
/// as long as it lives. Throws Error{Internal} when OpenSSL does not work.
Ssl newTlsSession(Side side, TlsKeys& keys);

/// What OpenSSL reports last; empties its queue, which belongs to the thread.
unsigned long takeTlsError();
/// Throws Error{Internal} with what OpenSSL reports last.
[[noreturn]] void throwTlsError(const char* what);

}  // namespace verbcast
