#include "core/session/trust/tls_context.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <string>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::array<unsigned char, 2> kCipher = {0x13, 0x02};  // TLS_AES_256_GCM_SHA384
constexpr const char* kCipherName = "TLS_AES_256_GCM_SHA384";
constexpr const char* kPurpose = "verbcast tls 1";
constexpr std::size_t kMaxKeyNameLength = 64;

TlsKeys& keysOf(const SSL* ssl) {
    return *static_cast<TlsKeys*>(SSL_get_app_data(ssl));
}

/// The key as the session that TLS resumes. Null on failure, such as no memory.
SSL_SESSION* sessionOf(SSL* ssl, const SessionKey& key) {
    const auto secret = key.derive(kPurpose);
    SSL_SESSION* session = SSL_SESSION_new();
    const bool made =
        session != nullptr &&
        SSL_SESSION_set1_master_key(session, reinterpret_cast<const unsigned char*>(secret.data()),
                                    secret.size()) == 1 &&
        SSL_SESSION_set_cipher(session, SSL_CIPHER_find(ssl, kCipher.data())) == 1 &&
        SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1;
    if (!made) {
        SSL_SESSION_free(session);
        return nullptr;
    }
    return session;
}

/// SSL_psk_use_session_cb_func
int useKey(SSL* ssl, const EVP_MD*, const unsigned char** name, std::size_t* nameBytes,
           SSL_SESSION** session) {
    const NamedKey& key = *keysOf(ssl).key;
    try {
        *session = sessionOf(ssl, key.key);
    } catch (const std::exception&) {
        return 0;  // must not pass through OpenSSL
    }
    *name = reinterpret_cast<const unsigned char*>(key.name.data());
    *nameBytes = key.name.size();
    return *session != nullptr ? 1 : 0;
}

/// SSL_psk_find_session_cb_func
int findKey(SSL* ssl, const unsigned char* name, std::size_t nameBytes, SSL_SESSION** session) {
    TlsKeys& keys = keysOf(ssl);
    *session = nullptr;
    // A ClientHello may name thousands of keys; ours names one, and may have to be repeated.
    if (++keys.lookUps > 2 || nameBytes > kMaxKeyNameLength) {
        return 0;
    }
    try {
        const std::string asked(reinterpret_cast<const char*>(name), nameBytes);
        const auto key = keys.find(asked);
        keys.unknown = !key;
        if (key) {
            keys.key = NamedKey{asked, *key};
            *session = sessionOf(ssl, *key);
            return *session != nullptr ? 1 : 0;
        }
        return 1;  // no such key: the handshake fails for lack of certificates
    } catch (const std::exception&) {
        keys.failure = std::current_exception();  // must not pass through OpenSSL
        return 0;
    }
}

SSL_CTX* makeContext(Side side) {
    // In user programs (verbcast run), sessions may end after OpenSSL's own clean-up at exit would have run.
    OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
    SSL_CTX* context = SSL_CTX_new(side == Side::Connecting ? TLS_client_method() : TLS_server_method());
    if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_ciphersuites(context, kCipherName) != 1 || SSL_CTX_set_num_tickets(context, 0) != 1) {
        throwTlsError("making a context");
    }
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    if (side == Side::Connecting) {
        // There are no authorities: refuse a listener that shows a certificate instead of knowing the key.
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
        SSL_CTX_set_psk_use_session_callback(context, useKey);
    } else {
        SSL_CTX_set_psk_find_session_callback(context, findKey);
    }
    return context;
}

/// Shared by all sessions of a side; OpenSSL makes that thread-safe.
SSL_CTX* contextOf(Side side) {
    static SSL_CTX* const connecting = makeContext(Side::Connecting);
    static SSL_CTX* const listening = makeContext(Side::Listening);
    return side == Side::Connecting ? connecting : listening;
}

}  // namespace

unsigned long takeTlsError() {
    const unsigned long code = ERR_peek_last_error();
    ERR_clear_error();
    return code;
}

void throwTlsError(const char* what) {
    const char* reason = ERR_reason_error_string(takeTlsError());
    throw Error(ErrorKind::Internal,
                fmt::format("OpenSSL: {}: {}", what, reason == nullptr ? "unknown" : reason));
}

void FreeSsl::operator()(ssl_st* ssl) const noexcept {
    SSL_free(ssl);
}

Ssl newTlsSession(Side side, TlsKeys& keys) {
    Ssl ssl(SSL_new(contextOf(side)));
    BIO* const incoming = BIO_new(BIO_s_mem());
    BIO* const outgoing = BIO_new(BIO_s_mem());
    if (!ssl || incoming == nullptr || outgoing == nullptr) {
        BIO_free(incoming);
        BIO_free(outgoing);
        throwTlsError("beginning a session");
    }
    SSL_set_bio(ssl.get(), incoming, outgoing);
    SSL_set_app_data(ssl.get(), &keys);
    if (side == Side::Connecting) {
        SSL_set_connect_state(ssl.get());
    } else {
        SSL_set_accept_state(ssl.get());
    }
    return ssl;
}

}  // namespace verbcast
