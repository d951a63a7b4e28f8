// Within TLS a message is its length in two bytes, little-endian, and its bytes. The inner channel carries
// the output of TLS in messages that need not match its records.
#include "core/session/trust/tls_channel.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::size_t kLengthBytes = 2;
constexpr std::size_t kMaxEarly = 16;
// RFC 8446, 5.5: a key is good for some 24 million AES-GCM records.
constexpr std::uint64_t kWritesPerKey = 1U << 23;
constexpr std::array<unsigned char, 2> kCipher = {0x13, 0x02};  // TLS_AES_256_GCM_SHA384
constexpr const char* kCipherName = "TLS_AES_256_GCM_SHA384";
constexpr const char* kPurpose = "verbcast tls 1";
constexpr std::size_t kMaxKeyNameLength = 64;

/// Returns OpenSSL's last error and empties its queue, which is per thread.
unsigned long takeTlsError() {
    const unsigned long code = ERR_peek_last_error();
    ERR_clear_error();
    return code;
}

[[noreturn]] void throwTlsError(const char* what) {
    const char* reason = ERR_reason_error_string(takeTlsError());
    throw Error(ErrorKind::Internal,
                fmt::format("OpenSSL: {}: {}", what, reason == nullptr ? "unknown" : reason));
}

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

/// A session over two memory BIOs that has not begun its handshake. `keys` must outlive it.
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

}  // namespace

void FreeSsl::operator()(ssl_st* ssl) const noexcept {
    SSL_free(ssl);
}

bool looksLikeTls(std::span<const std::byte> message) {
    const auto contentType = std::to_integer<unsigned>(message.front());
    return contentType >= 20 && contentType <= 23;
}

TlsChannel::TlsChannel(std::shared_ptr<MessageChannel> inside, Side side, std::optional<NamedKey> key,
                       FindKey findKey)
    : ChannelStage(std::move(inside)),
      side_(side),
      keys_{.key = std::move(key), .find = std::move(findKey)},
      ssl_(newTlsSession(side, keys_)) {
    if (side_ == Side::Connecting) {
        advance();
    }
}

TlsChannel::TlsChannel(std::shared_ptr<MessageChannel> inside, NamedKey key)
    : TlsChannel(std::move(inside), Side::Connecting, std::move(key), nullptr) {}

TlsChannel::TlsChannel(std::shared_ptr<MessageChannel> inside, FindKey findKey)
    : TlsChannel(std::move(inside), Side::Listening, std::nullopt, std::move(findKey)) {}

ExportedKey TlsChannel::exportKey(std::string_view label, std::span<const std::byte> context) const {
    ExportedKey key;
    if (!established_ || SSL_export_keying_material(ssl_.get(), reinterpret_cast<unsigned char*>(key.data()),
                                                    key.size(), label.data(), label.size(),
                                                    reinterpret_cast<const unsigned char*>(context.data()),
                                                    context.size(), 1) != 1) {
        throwTlsError("exporting a key");
    }
    return key;
}

Progress TlsChannel::process() {
    flush();
    const Progress progress = ChannelStage::process();
    return broken_.empty() ? progress : Progress::Closed;
}

bool TlsChannel::readyToSleep() {
    flush();
    return ChannelStage::readyToSleep();
}

Status TlsChannel::send(std::span<const std::byte> message) {
    if (plain_) {
        return ChannelStage::send(message);
    }
    if (!closeReason().empty()) {
        return Status::Closed;
    }
    if (!established_) {
        if (early_.size() == kMaxEarly) {
            return Status::Busy;
        }
        early_.emplace_back(message.begin(), message.end());
        return Status::Ok;
    }
    if (!flush()) {
        return Status::Busy;
    }
    write(message);
    flush();
    return Status::Ok;
}

void TlsChannel::write(std::span<const std::byte> message) {
    if (++written_ == kWritesPerKey) {
        written_ = 0;
        if (SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) != 1) {
            throwTlsError("changing keys");
        }
    }
    std::array<std::byte, kLengthBytes + kMaxMessageBytes> record;
    record[0] = static_cast<std::byte>(message.size() & 0xffU);
    record[1] = static_cast<std::byte>(message.size() >> 8U);
    std::ranges::copy(message, record.begin() + kLengthBytes);
    std::size_t written = 0;
    if (SSL_write_ex(ssl_.get(), record.data(), kLengthBytes + message.size(), &written) != 1) {
        throwTlsError("sending");  // a memory BIO takes everything
    }
}

/// Sends what TLS has written. Returns false if the inner channel is busy.
bool TlsChannel::flush() {
    BIO* const outgoing = SSL_get_wbio(ssl_.get());
    for (;;) {
        if (pending_.empty()) {
            const std::size_t waiting = BIO_ctrl_pending(outgoing);
            if (waiting == 0) {
                return true;
            }
            pending_.resize(std::min(waiting, kMaxMessageBytes));
            BIO_read(outgoing, pending_.data(), static_cast<int>(pending_.size()));
        }
        if (ChannelStage::send(pending_) == Status::Busy) {
            return false;
        }
        pending_.clear();
    }
}

void TlsChannel::onMessage(std::span<const std::byte> message) {
    if (!broken_.empty()) {
        return;
    }
    const bool tls = looksLikeTls(message);
    if (plain_ || (!established_ && !tls)) {
        plain_ |= side_ == Side::Listening && !begun_;
        ChannelStage::onMessage(message);
        return;
    }
    begun_ = true;
    BIO_write(SSL_get_rbio(ssl_.get()), message.data(), static_cast<int>(message.size()));
    if (!established_) {
        advance();
    }
    if (established_) {
        receive();
    }
}

/// Advances the handshake as far as what has arrived allows.
void TlsChannel::advance() {
    ERR_clear_error();
    const int done = SSL_do_handshake(ssl_.get());
    const int state = SSL_get_error(ssl_.get(), done);
    if (keys_.failure) {
        std::rethrow_exception(keys_.failure);  // before the alert, which would hide why
    }
    flush();  // may be an alert
    if (done != 1) {
        if (state != SSL_ERROR_WANT_READ) {
            fail();
        }
        return;
    }
    if (SSL_session_reused(ssl_.get()) != 1) {
        fail();  // a handshake without our key
    }
    established_ = true;
    for (const auto& message : std::exchange(early_, {})) {
        write(message);
    }
    flush();
}

void TlsChannel::fail() {
    const unsigned long code = takeTlsError();
    const int reason = ERR_GET_REASON(code);
    const bool otherKey = keys_.unknown || reason == SSL_R_BINDER_DOES_NOT_VERIFY ||
                          (side_ == Side::Connecting && (reason == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER ||
                                                         reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE ||
                                                         reason == SSL_R_TLSV1_ALERT_DECRYPT_ERROR));
    if (otherKey) {
        throw peerError("the two sides have different keys");
    }
    const char* text = ERR_reason_error_string(code);
    throw peerError("the peer does not prove that it has the key: {}", text == nullptr ? "TLS failed" : text);
}

void TlsChannel::receive() {
    for (;;) {
        const std::size_t before = heard_.size();
        heard_.resize(before + kLengthBytes + kMaxMessageBytes);
        std::size_t got = 0;
        ERR_clear_error();
        const int done = SSL_read_ex(ssl_.get(), heard_.data() + before, heard_.size() - before, &got);
        heard_.resize(before + got);
        if (done != 1) {
            const int state = SSL_get_error(ssl_.get(), done);
            flush();  // TLS may answer by itself, also with an alert
            if (state == SSL_ERROR_WANT_READ || state == SSL_ERROR_ZERO_RETURN) {
                return;
            }
            const char* text = ERR_reason_error_string(takeTlsError());
            broken_ =
                fmt::format("a message was changed on its way: {}", text == nullptr ? "TLS failed" : text);
            return;
        }
        handOver();
    }
}

/// Hands over all complete messages.
void TlsChannel::handOver() {
    std::size_t at = 0;
    while (heard_.size() - at > kLengthBytes) {
        const std::size_t length =
            std::to_integer<std::size_t>(heard_[at]) | std::to_integer<std::size_t>(heard_[at + 1]) << 8U;
        if (length == 0 || length > kMaxMessageBytes) {
            throw peerError("the peer sent a message of {} bytes, 1 to {} expected", length,
                            kMaxMessageBytes);
        }
        if (heard_.size() - at - kLengthBytes < length) {
            break;
        }
        ChannelStage::onMessage(std::span(heard_).subspan(at + kLengthBytes, length));
        at += kLengthBytes + length;
    }
    heard_.erase(heard_.begin(), heard_.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace verbcast
