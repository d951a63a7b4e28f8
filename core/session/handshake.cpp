#include "core/session/handshake.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <random>

#include "core/base/version.h"

namespace verbcast {

bool isPermanent(RefuseCode code) {
    return code == RefuseCode::Version || code == RefuseCode::Role || code == RefuseCode::Authentication;
}

std::uint64_t newInstance() {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
}

std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

Handshake::Handshake(const HandshakeOptions& options, KeySide side)
    : options_(options), side_(side), nonce_(options.key ? makeNonce() : Nonce{}) {
    if (side_ == KeySide::Connecting) {
        sayHello();
    }
}

void Handshake::sayHello() {
    Hello hello;
    hello.role = options_.role;
    hello.host = hostId();
    hello.slots = options_.slots;
    hello.features = options_.features;
    hello.instance = options_.instance;
    hello.name = options_.name.empty() ? hostName() : options_.name;
    hello.software = fmt::format("verbcast {}", kVersion);
    if (options_.key) {
        hello.authentication = Authentication::SharedKey;
        hello.nonce = nonce_;
    }
    say(hello);
}

void Handshake::sayProof() {
    say(Proof{options_.key->prove(side_, static_cast<std::uint8_t>(options_.role), nonce_, peer_->nonce)});
}

void Handshake::finish(LinkEnd end) {
    end_ = std::move(end);
    state_ = State::Over;
}

void Handshake::refuse(RefuseCode code, const std::string& reason) {
    say(Refuse{code, reason});
    finish({LinkEnd::Kind::Broken, reason, isPermanent(code)});
}

void Handshake::hear(std::span<const std::byte> message) {
    ByteReader reader(message);
    switch (const auto type = static_cast<MessageType>(reader.get<std::uint8_t>())) {
        case MessageType::Refuse: {
            const Refuse refusal = decodeMessage<Refuse>(reader);
            finish({LinkEnd::Kind::Refused, "the peer refuses: " + refusal.text.value,
                    isPermanent(refusal.code)});
            return;
        }
        case MessageType::Hello:
            hearHello(decodeMessage<Hello>(reader));
            return;
        case MessageType::Proof:
            hearProof(decodeMessage<Proof>(reader));
            return;
        case MessageType::Bye:
            if (peer_) {
                finish({LinkEnd::Kind::Lost, decodeMessage<Bye>(reader).reason.value, false});
                return;
            }
            [[fallthrough]];
        default:
            throw Error(ErrorKind::Peer,
                        fmt::format("the peer sent message {} before its greeting", static_cast<int>(type)));
    }
}

std::optional<Refuse> Handshake::objection(const Hello& hello) const {
    if (hello.magic != kProtocolMagic) {
        return Refuse{RefuseCode::Version, "the peer does not speak verbcast's protocol"};
    }
    if (hello.version != kProtocolVersion) {
        return Refuse{RefuseCode::Version,
                      fmt::format("the peer speaks version {} of the protocol, this side version {}",
                                  hello.version, kProtocolVersion)};
    }
    if (const auto mismatch = roleMismatch(options_.role, hello.role)) {
        return Refuse{RefuseCode::Role, *mismatch};
    }
    if (hello.authentication > Authentication::SharedKey) {
        return Refuse{RefuseCode::Authentication, fmt::format("authentication method {} is unknown here",
                                                              static_cast<int>(hello.authentication))};
    }
    const bool peerHasKey = hello.authentication != Authentication::None;
    if (peerHasKey != options_.key.has_value()) {
        return Refuse{RefuseCode::Authentication,
                      fmt::format("only one side has a key: the {}",
                                  roleName(peerHasKey ? hello.role : options_.role))};
    }
    return std::nullopt;
}

void Handshake::hearHello(const Hello& hello) {
    if (peer_) {
        throw Error(ErrorKind::Peer, "the peer greeted twice");
    }
    if (const auto no = objection(hello)) {
        refuse(no->code, no->text.value);
        return;
    }
    peer_ = hello;
    const bool listens = side_ == KeySide::Listening;
    if (!options_.key) {
        state_ = listens ? State::Asked : State::Ready;
    } else if (listens) {
        sayHello();
    } else {
        sayProof();
    }
}

void Handshake::hearProof(const Proof& proof) {
    if (!peer_ || !options_.key) {
        throw Error(ErrorKind::Peer, "the peer proves what it was not asked for");
    }
    const bool listens = side_ == KeySide::Listening;
    const KeyProof expected =
        options_.key->prove(listens ? KeySide::Connecting : KeySide::Listening,
                            static_cast<std::uint8_t>(peer_->role), peer_->nonce, nonce_);
    if (!SessionKey::equal(proof.proof, expected)) {
        refuse(RefuseCode::Authentication, "the two sides have different keys");
        return;
    }
    state_ = listens ? State::Asked : State::Ready;
}

void Handshake::admit() {
    if (options_.key) {
        sayProof();
    } else {
        sayHello();
    }
    state_ = State::Ready;
}

}  // namespace verbcast
