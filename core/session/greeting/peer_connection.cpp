#include "core/session/greeting/peer_connection.h"

#include <fmt/format.h>

#include <utility>

#include "core/session/trust/sealed_path.h"
#include "core/transport/message_channel.h"

namespace verbcast {
namespace {

constexpr int kMaxRounds = 16;              // of reading before others get a turn
constexpr std::size_t kMaxEarlyWords = 64;  // messages behind a greeting, before a link takes them

SessionEnd endOf(const Greeting& greeting, const HandshakeOptions& options) {
    SessionEnd end = greeting.end();
    if (options.hasProvenKey && !greeting.proven() && end.isPermanent()) {
        end.code.reset();
    }
    return end;
}

}  // namespace

Greeting::Greeting(Connection connection, const HandshakeOptions& options, Side side)
    : connection_(std::move(connection)),
      options_(options),
      side_(side),
      handshake_(options, side, connection_.messages->description().place) {
    const Trust& trust = options_.trust;
    if (side_ == Side::Connecting && trust.key) {
        tls_ = std::make_shared<TlsChannel>(connection_.messages, *trust.key);
    } else if (side_ == Side::Listening && (trust.key || trust.book)) {
        tls_ = std::make_shared<TlsChannel>(connection_.messages,
                                            [this](std::string_view name) { return keyOf(name); });
    }
    if (tls_) {
        connection_.messages = tls_;
    }
    connection_.setHandlers(this, this);
    sendWords();
}

std::optional<SessionKey> Greeting::keyOf(std::string_view name) {
    const Trust& trust = options_.trust;
    if (trust.key && name == trust.key->name) {
        return trust.key->key;
    }
    entry_ = trust.book ? trust.book->find(name) : std::nullopt;
    return entry_ ? std::optional(entry_->key) : std::nullopt;
}

Greeting::~Greeting() {
    if (connection_) {
        connection_.setHandlers(nullptr, nullptr);
    }
}

Handshake::State Greeting::serve() {
    anotherTurn_ = true;
    try {
        for (int round = 0; round < kMaxRounds && handshake_.state() == Handshake::State::Talking; ++round) {
            const Progress progress = connection_.messages->process();
            if (progress == Progress::Closed) {
                if (handshake_.state() == Handshake::State::Talking) {
                    handshake_.finish({SessionEnd::Kind::Lost, connection_.messages->closeReason()});
                }
                break;
            }
            if (progress == Progress::Idle && connection_.messages->readyToSleep()) {
                anotherTurn_ = false;
                break;
            }
        }
    } catch (const NotVerbcast& error) {
        if (side_ == Side::Listening) {
            refuse(RefuseCode::Protocol, error.what());
        } else {
            handshake_.finish({SessionEnd::Kind::Broken,
                               fmt::format("what answers at {} is not verbcast", description().peer),
                               RefuseCode::Version,
                               "check the address and the port: another program listens there"});
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Peer) {
            throw;
        }
        refuse(tls_ && !tls_->established() ? RefuseCode::Authentication : RefuseCode::Protocol,
               error.what());
    }
    return handshake_.state();
}

void Greeting::admit() {
    handshake_.admit();
    sendWords();
}

void Greeting::refuse(RefuseCode code, const std::string& reason) {
    if (handshake_.state() != Handshake::State::Over) {  // else why it is, counts
        handshake_.refuse(code, reason);
        sendWords();
    }
    flush();
}

bool Greeting::lingers() {
    deaf_ = true;
    for (int round = 0; round < kMaxRounds; ++round) {
        switch (connection_.messages->process()) {
            case Progress::Closed:
                return false;
            case Progress::Worked:
                break;
            case Progress::Idle:
                if (connection_.messages->readyToSleep()) {
                    return true;
                }
        }
    }
    return true;
}

PeerConnection Greeting::take() {
    PeerConnection peer;
    peer.hello = handshake_.peer();
    if (peer.hello.name.value.empty()) {
        peer.hello.name.value = description().peer;
    }
    peer.trust = handshake_.trust();
    peer.startedAt = startedAt_;
    if (options_.role == Role::Pairing) {
        peer.pairingKey = pairingKey();
    }
    peer.early = std::move(early_);
    connection_.setHandlers(nullptr, nullptr);
    peer.connection = std::exchange(connection_, {});
    if (tls_ && !tls_->established()) {
        peer.connection.messages = tls_->inside();
        tls_.reset();  // now: it releases the channel's handler
    }
    if (peer.trust.protection == Protection::Encrypted && peer.connection.frames) {
        peer.connection.frames = std::make_shared<SealedPath>(
            peer.connection.frames,
            [tls = tls_](std::span<const std::byte> context) {
                return tls->exportKey("EXPORTER-verbcast frames", context);
            },
            side_);
    }
    return peer;
}

NamedKey Greeting::pairingKey() const {
    const auto made = [this](const char* label) { return SessionKey::fromBytes(tls_->exportKey(label, {})); };
    return {made("EXPORTER-verbcast pairing name").text().substr(0, 32),
            made("EXPORTER-verbcast pairing key")};
}

void Greeting::sendWords() {
    // Only the refusal goes in the clear to a peer that has not proven its key; all else waits for the proof.
    const bool unproven = tls_ && !tls_->established() && handshake_.state() == Handshake::State::Over;
    for (const auto& word : handshake_.takeWords()) {
        const Status sent = unproven ? tls_->sendInTheClear(word) : connection_.messages->send(word);
        if (sent != Status::Ok) {
            handshake_.finish(
                {SessionEnd::Kind::Lost, "the peer is gone: " + connection_.messages->closeReason()});
        }
    }
}

/// Pushes out what the transport has queued.
void Greeting::flush() {
    try {
        for (int round = 0; round < kMaxRounds && connection_.messages->process() == Progress::Worked;
             ++round) {
        }
        connection_.messages->readyToSleep();
    } catch (const Error&) {
        // The peer is refused already.
    }
}

void Greeting::onMessage(std::span<const std::byte> message) {
    heard_ = true;
    if (deaf_ || handshake_.state() == Handshake::State::Over) {
        return;
    }
    if (handshake_.state() != Handshake::State::Talking) {
        if (early_.size() == kMaxEarlyWords) {
            throw peerError("the peer sent too much before it was answered");
        }
        early_.emplace_back(message.begin(), message.end());
        return;
    }
    if (!tls_ && looksLikeTls(message)) {
        refuse(RefuseCode::Authentication, "only one side has a key: the one that calls");
        return;
    }
    if (proven() && !toldProven_) {
        toldProven_ = true;
        handshake_.prove(tls_->keyName(), entry_ ? entry_->grants : options_.trust.grants,
                         entry_ && entry_->encrypts);
        if (options_.trust.onProven) {
            options_.trust.onProven(tls_->keyName());
        }
    }
    handshake_.hear(message);
    sendWords();
}

FrameTarget Greeting::beginFrame(RingId, std::uint32_t, const FrameInfo&) {
    throw peerError("the peer sent a frame before its greeting");
}

std::variant<PeerConnection, SessionEnd> greet(Connection connection, const HandshakeOptions& options,
                                               const Event& cancel) {
    Greeting greeting(std::move(connection), options, Side::Connecting);
    const Deadline deadline = Deadline::in(kGreetingPatience);
    for (;;) {
        switch (greeting.serve()) {
            case Handshake::State::Ready:
                return greeting.take();
            case Handshake::State::Over:
                return endOf(greeting, options);
            default:
                break;
        }
        if (cancel.isSet()) {
            return SessionEnd{SessionEnd::Kind::Stopped, "cancelled"};
        }
        if (deadline.passed()) {
            return SessionEnd{SessionEnd::Kind::Lost, "the peer does not answer; it may not be Verbcast"};
        }
        if (!greeting.wantsAnotherTurn()) {
            waitReadable({greeting.waitDescriptor(), cancel.descriptor()}, deadline);
        }
    }
}

}  // namespace verbcast
