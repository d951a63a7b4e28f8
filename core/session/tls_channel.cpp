// Within TLS a message is its length in two bytes, little-endian, and its bytes. What TLS makes of them
// travels in messages of the channel inside, which know nothing of its records.
#include "core/session/tls_channel.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace verbcast {

namespace {

constexpr std::array<unsigned char, 2> kCipher = {0x13, 0x02};  // TLS_AES_256_GCM_SHA384
constexpr const char* kCipherName = "TLS_AES_256_GCM_SHA384";
constexpr const char* kPurpose = "verbcast tls 1";
constexpr std::size_t kLengthBytes = 2;
constexpr std::size_t kMostEarly = 16;
constexpr std::size_t kLongestKeyName = 64;
// RFC 8446, 5.5: keys serve for some 24 million records of AES-GCM.
constexpr std::uint64_t kWritesPerKey = 1U << 23;

/// What OpenSSL reports last; empties its queue, which belongs to the thread.
unsigned long takeError() {
    const unsigned long code = ERR_peek_last_error();
    ERR_clear_error();
    return code;
}

[[noreturn]] void throwBroken(const char* what) {
    const char* reason = ERR_reason_error_string(takeError());
    throw Error(ErrorKind::Internal,
                fmt::format("OpenSSL: {}: {}", what, reason == nullptr ? "unknown" : reason));
}

/// Shared by all channels of a side; OpenSSL guards it.
SSL_CTX* contextOf(Side side);

}  // namespace

struct TlsCallbacks {
    static TlsChannel& of(const SSL* ssl) { return *static_cast<TlsChannel*>(SSL_get_app_data(ssl)); }

    /// The key as the session that TLS resumes. Null when there is no memory.
    static SSL_SESSION* sessionOf(SSL* ssl, const SessionKey& key) {
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

    static int use(SSL* ssl, const EVP_MD*, const unsigned char** name, std::size_t* nameBytes,
                   SSL_SESSION** session) {
        const NamedKey& key = *of(ssl).key_;
        try {
            *session = sessionOf(ssl, key.key);
        } catch (const std::exception&) {
            return 0;  // not through OpenSSL
        }
        *name = reinterpret_cast<const unsigned char*>(key.name.data());
        *nameBytes = key.name.size();
        return *session != nullptr ? 1 : 0;
    }

    static int find(SSL* ssl, const unsigned char* name, std::size_t nameBytes, SSL_SESSION** session) {
        TlsChannel& channel = of(ssl);
        *session = nullptr;
        // A hello may name thousands of keys; ours names one, and may be asked to repeat itself.
        if (++channel.lookUps_ > 2 || nameBytes > kLongestKeyName) {
            return 0;
        }
        try {
            const std::string asked(reinterpret_cast<const char*>(name), nameBytes);
            const auto key = channel.findKey_(asked);
            channel.unknownKey_ = !key;
            if (key) {
                channel.key_ = NamedKey{asked, *key};
                *session = sessionOf(ssl, *key);
                return *session != nullptr ? 1 : 0;
            }
            return 1;  // there is none: the handshake fails for want of certificates
        } catch (const std::exception&) {
            return 0;
        }
    }
};

namespace {

SSL_CTX* makeContext(Side side) {
    // In the programs of others (verbcast run), sessions may end after OpenSSL's own clean-up at exit would
    // have run.
    OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
    SSL_CTX* context = SSL_CTX_new(side == Side::Connecting ? TLS_client_method() : TLS_server_method());
    if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_ciphersuites(context, kCipherName) != 1 || SSL_CTX_set_num_tickets(context, 0) != 1) {
        throwBroken("making a context");
    }
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    if (side == Side::Connecting) {
        // There are no authorities: a listener that shows a certificate instead of knowing the key is
        // refused.
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
        SSL_CTX_set_psk_use_session_callback(context, TlsCallbacks::use);
    } else {
        SSL_CTX_set_psk_find_session_callback(context, TlsCallbacks::find);
    }
    return context;
}

SSL_CTX* contextOf(Side side) {
    static SSL_CTX* const connecting = makeContext(Side::Connecting);
    static SSL_CTX* const listening = makeContext(Side::Listening);
    return side == Side::Connecting ? connecting : listening;
}

}  // namespace

bool looksLikeTls(std::span<const std::byte> message) {
    const auto contentType = std::to_integer<unsigned>(message.front());
    return contentType >= 20 && contentType <= 23;
}

void TlsChannel::FreeSsl::operator()(ssl_st* ssl) const noexcept {
    SSL_free(ssl);
}

TlsChannel::TlsChannel(std::shared_ptr<MessageChannel> inside, Side side, std::optional<NamedKey> key,
                       FindKey findKey)
    : inside_(std::move(inside)),
      side_(side),
      findKey_(std::move(findKey)),
      key_(std::move(key)),
      ssl_(SSL_new(contextOf(side))) {
    BIO* const incoming = BIO_new(BIO_s_mem());
    BIO* const outgoing = BIO_new(BIO_s_mem());
    if (!ssl_ || incoming == nullptr || outgoing == nullptr) {
        BIO_free(incoming);
        BIO_free(outgoing);
        throwBroken("beginning a session");
    }
    SSL_set_bio(ssl_.get(), incoming, outgoing);
    SSL_set_app_data(ssl_.get(), this);
    if (side_ == Side::Connecting) {
        SSL_set_connect_state(ssl_.get());
    } else {
        SSL_set_accept_state(ssl_.get());
    }
    inside_->setHandler(this);
    if (side_ == Side::Connecting) {
        advance();
    }
}

TlsChannel::TlsChannel(std::shared_ptr<MessageChannel> inside, NamedKey key)
    : TlsChannel(std::move(inside), Side::Connecting, std::move(key), nullptr) {}

TlsChannel::TlsChannel(std::shared_ptr<MessageChannel> inside, FindKey findKey)
    : TlsChannel(std::move(inside), Side::Listening, std::nullopt, std::move(findKey)) {}

TlsChannel::~TlsChannel() {
    inside_->setHandler(nullptr);
}

ExportedKey TlsChannel::exportKey(std::string_view label, std::span<const std::byte> context) const {
    ExportedKey key;
    if (!established_ || SSL_export_keying_material(ssl_.get(), reinterpret_cast<unsigned char*>(key.data()),
                                                    key.size(), label.data(), label.size(),
                                                    reinterpret_cast<const unsigned char*>(context.data()),
                                                    context.size(), 1) != 1) {
        throwBroken("exporting a key");
    }
    return key;
}

Progress TlsChannel::process() {
    flush();
    return inside_->process();
}

bool TlsChannel::readyToSleep() {
    flush();
    return inside_->readyToSleep();
}

bool TlsChannel::hasRoomToSpare() const {
    return pending_.empty() && inside_->hasRoomToSpare();
}

Status TlsChannel::send(std::span<const std::byte> message) {
    if (plain_) {
        return inside_->send(message);
    }
    if (!inside_->closeReason().empty()) {
        return Status::Closed;
    }
    if (!established_) {
        if (early_.size() == kMostEarly) {
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
            throwBroken("changing keys");
        }
    }
    std::array<std::byte, kLengthBytes + kMaxMessageBytes> record;
    record[0] = static_cast<std::byte>(message.size() & 0xffU);
    record[1] = static_cast<std::byte>(message.size() >> 8U);
    std::ranges::copy(message, record.begin() + kLengthBytes);
    std::size_t written = 0;
    if (SSL_write_ex(ssl_.get(), record.data(), kLengthBytes + message.size(), &written) != 1) {
        throwBroken("sending");  // a memory BIO takes everything
    }
}

/// What TLS has to say goes on its way. False when the channel inside is busy.
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
        if (inside_->send(pending_) == Status::Busy) {
            return false;
        }
        pending_.clear();
    }
}

void TlsChannel::onMessage(std::span<const std::byte> message) {
    const bool tls = looksLikeTls(message);
    if (plain_ || (!established_ && !tls)) {
        plain_ |= side_ == Side::Listening && !begun_;
        handler_->onMessage(message);
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

/// The handshake, as far as it goes with what has come.
void TlsChannel::advance() {
    ERR_clear_error();
    const int done = SSL_do_handshake(ssl_.get());
    const int state = SSL_get_error(ssl_.get(), done);
    flush();  // an alert, too
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
    const unsigned long code = takeError();
    const int reason = ERR_GET_REASON(code);
    const bool otherKey = unknownKey_ || reason == SSL_R_BINDER_DOES_NOT_VERIFY ||
                          (side_ == Side::Connecting && (reason == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER ||
                                                         reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE ||
                                                         reason == SSL_R_TLSV1_ALERT_DECRYPT_ERROR));
    if (otherKey) {
        throw Error(ErrorKind::Peer, "the two sides have different keys");
    }
    const char* text = ERR_reason_error_string(code);
    throw Error(ErrorKind::Peer, fmt::format("the peer does not prove that it has the key: {}",
                                             text == nullptr ? "TLS failed" : text));
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
            flush();  // an answer of TLS itself
            if (state == SSL_ERROR_WANT_READ || state == SSL_ERROR_ZERO_RETURN) {
                return;
            }
            const char* text = ERR_reason_error_string(takeError());
            throw Error(ErrorKind::Peer, fmt::format("a message was changed on its way: {}",
                                                     text == nullptr ? "TLS failed" : text));
        }
        handOver();
    }
}

/// The whole messages of what was heard.
void TlsChannel::handOver() {
    std::size_t at = 0;
    while (heard_.size() - at > kLengthBytes) {
        const std::size_t length =
            std::to_integer<std::size_t>(heard_[at]) | std::to_integer<std::size_t>(heard_[at + 1]) << 8U;
        if (length == 0 || length > kMaxMessageBytes) {
            throw Error(ErrorKind::Peer, fmt::format("the peer sent a message of {} bytes, 1 to {} expected",
                                                     length, kMaxMessageBytes));
        }
        if (heard_.size() - at - kLengthBytes < length) {
            break;
        }
        handler_->onMessage(std::span(heard_).subspan(at + kLengthBytes, length));
        at += kLengthBytes + length;
    }
    heard_.erase(heard_.begin(), heard_.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace verbcast
