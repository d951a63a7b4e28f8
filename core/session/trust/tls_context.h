// OpenSSL sessions whose keys are external PSKs (RFC 8446, 4.2.11), and how they find them.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "core/session/trust/trust.h"

struct ssl_st;

namespace verbcast {

/// The keys of one handshake, as OpenSSL's callbacks see them.
struct TlsKeys {
    /// Connecting: ours. Listening: the caller's, once it has named a known one.
    std::optional<NamedKey> key;
    /// Listening: returns the key of that name, if there is one.
    std::function<std::optional<SessionKey>(std::string_view name)> find;
    bool unknown = false;          ///< the caller named an unknown key
    std::exception_ptr failure{};  ///< what find() has thrown
    int lookUps = 0;
};

struct FreeSsl {
    void operator()(ssl_st* ssl) const noexcept;
};
using Ssl = std::unique_ptr<ssl_st, FreeSsl>;

/// Creates a TLS 1.3 session over two memory BIOs that has not begun its handshake. `keys` must outlive it.
/// Throws Error{Internal} if OpenSSL fails.
Ssl newTlsSession(Side side, TlsKeys& keys);

/// Returns OpenSSL's last error and empties its queue, which is per thread.
unsigned long takeTlsError();
/// Throws Error{Internal} with OpenSSL's last error.
[[noreturn]] void throwTlsError(const char* what);

}  // namespace verbcast
