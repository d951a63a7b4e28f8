#include "core/session/greeting/handshake.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <random>
#include <string_view>

#include "core/base/version.h"
#include "core/session/trust/pairing.h"

namespace verbcast {
namespace {

constexpr std::string_view kNoName = "(none)";  // the kernel's host name until one is set
constexpr const char* kRemedyForOtherUser =
    "find out who listens at this address; give both ends a key (verbcast key new FILE, --key-file FILE), or "
    "let any program on this machine answer (--open)";
constexpr std::size_t kMaxToldBytes = 350;  // below PeerText's limit

/// Joins as many words as fit with commas.
std::string joinedWithin(std::size_t bytes, const std::vector<std::string>& words) {
    std::string joined;
    for (const std::string& word : words) {
        if (joined.size() + word.size() + 1 > bytes) {
            break;
        }
        joined += (joined.empty() ? "" : ",") + word;
    }
    return joined;
}

/// A keyed hash, so that a peer with another key cannot pick an instance that collides with this one.
std::uint64_t instanceWithKey(std::uint64_t told, const std::string& keyName) {
    if (told == 0) {
        return 0;
    }
    static const SessionKey ours = SessionKey::random();
    const auto hash = ours.derive(fmt::format("instance {:016x} of {}", told, keyName));
    std::uint64_t instance = 0;
    std::memcpy(&instance, hash.data(), sizeof instance);
    return instance;
}

}  // namespace

std::uint64_t newInstance() {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
}

std::string hostName() {
    std::array<char, 256> name{};
    const std::string_view known = ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
    return known == kNoName ? "" : std::string(known);
}

Handshake::Handshake(const HandshakeOptions& options, Side side, PeerPlace place)
    : options_(options),
      side_(side),
      place_(place),
      grants_(options.trust.grants &
              (place == PeerPlace::ThisUser ? kMayAll : static_cast<Grants>(kMayView | kMaySend))),
      encrypts_(options.trust.encrypt) {
    if (side_ == Side::Connecting) {
        if (options_.trust.key) {
            grants_ = options_.trust.grants;  // a listener hears nothing until the key is proven
        }
        sayHello();
    }
}

void Handshake::prove(const std::string& keyName, Grants grants, bool encrypts) {
    keyName_ = keyName;
    grants_ = grants;
    encrypts_ |= encrypts;
}

void Handshake::sayHello() {
    Hello hello;
    hello.role = options_.role;
    hello.host = hostId();
    hello.slots = options_.slots;
    hello.features = options_.features | (encrypts_ ? kEncrypts : 0);
    if ((grants_ & kMayInput) == 0) {
        hello.features &= ~kTakesInput;
    }
    hello.instance = options_.instance;
    if (options_.rail) {
        hello.features |= kIsRail;
        hello.rail = *options_.rail;
    }
    if (peer_ && peer_->role == Role::Probe && (peer_->features & kFindsRails) != 0 && options_.addresses) {
        hello.features |= kFindsRails;
        hello.addresses = joinedWithin(kMaxToldBytes, options_.addresses());
    }
    if (const std::string device =
            place_ == PeerPlace::ThisUser && options_.device ? options_.device->sharingId() : "";
        !device.empty()) {
        hello.features |= kUsesDevice;
        hello.device = device;
    }
    hello.name = options_.name.empty() ? hostName() : options_.name;
    hello.software = fmt::format("verbcast {}", kVersion);
    say(hello);
}

PeerTrust Handshake::trust() const {
    const bool encrypted = encrypts_ || (peer_ && (peer_->features & kEncrypts) != 0);
    const Protection unproven = place_ == PeerPlace::ThisUser ? Protection::ThisHost : Protection::None;
    const Protection proven = encrypted ? Protection::Encrypted : Protection::Proven;
    return {keyName_.empty() ? unproven : proven, grants_, keyName_};
}

void Handshake::finish(SessionEnd end) {
    end_ = std::move(end);
    state_ = State::Over;
}

void Handshake::refuse(RefuseCode code, const std::string& reason) {
    say(Refuse{code, reason});
    const bool otherUserAnswers = side_ == Side::Connecting && code == RefuseCode::NotPaired;
    finish(
        {SessionEnd::Kind::Broken, reason, code, otherUserAnswers ? kRemedyForOtherUser : remedyFor(code)});
}

void Handshake::hear(std::span<const std::byte> message) {
    ByteReader reader(message);
    switch (const auto type = static_cast<MessageType>(reader.get<std::uint8_t>())) {
        case MessageType::Refuse: {
            const Refuse refusal = decodeMessage<Refuse>(reader);
            finish({SessionEnd::Kind::Refused, "the peer refuses: " + refusal.text.value, refusal.code,
                    remedyFor(refusal.code)});
            return;
        }
        case MessageType::Hello:
            hearHello(decodeMessage<Hello>(reader));
            return;
        case MessageType::Bye:
            if (peer_) {
                finish({SessionEnd::Kind::Lost, decodeMessage<Bye>(reader).reason.value});
                return;
            }
            [[fallthrough]];
        default:
            throw peerError("the peer sent message {} before its greeting", static_cast<int>(type));
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
    if (options_.rail && (hello.features & kTakesRails) == 0) {
        return Refuse{RefuseCode::Role,
                      fmt::format("this {} takes no rails: give one address", roleName(hello.role))};
    }
    if (hello.isRail() && (side_ == Side::Connecting || (options_.features & kTakesRails) == 0)) {
        return Refuse{RefuseCode::Role,
                      fmt::format("this {} takes no rails: give it one address", roleName(options_.role))};
    }
    return keyName_.empty() ? objectionToUnpaired(hello) : objectionToGrants(hello);
}

std::optional<Refuse> Handshake::objectionToUnpaired(const Hello& hello) const {
    if (options_.trust.key) {
        return Refuse{RefuseCode::Authentication,
                      fmt::format("only one side has a key: the {}", roleName(options_.role))};
    }
    if (options_.trust.encrypt || (hello.features & kEncrypts) != 0) {
        return Refuse{RefuseCode::Authentication, "to encrypt, both sides need a key"};
    }
    if (hello.role == Role::Pairing) {
        return Refuse{RefuseCode::Authentication, "pairing needs the code that this side shows"};
    }
    if (place_ == PeerPlace::OtherUser && !options_.trust.open) {
        return side_ == Side::Connecting
                   ? Refuse{RefuseCode::NotPaired,
                            fmt::format("the {} that answers on this machine belongs to another user",
                                        roleName(hello.role))}
                   : Refuse{
                         RefuseCode::Authentication,
                         fmt::format("without a key this {} serves its own user only: give both a key "
                                     "(verbcast key new FILE, --key-file FILE), or let in anybody (--open, "
                                     "there)",
                                     roleName(options_.role))};
    }
    if (side_ == Side::Listening && place_ == PeerPlace::OtherHost && !options_.trust.open) {
        return Refuse{
            RefuseCode::NotPaired,
            fmt::format("without a key this {} serves its own user on its own machine only: pair the "
                        "two (it shows a code for verbcast key pair), or give both a key (verbcast "
                        "key new FILE, --key-file FILE), or let in anybody (--open, there)",
                        roleName(options_.role))};
    }
    return objectionToRole(hello);
}

std::optional<Refuse> Handshake::objectionToGrants(const Hello& hello) const {
    if ((keyName_ == kPairingKeyName) != (hello.role == Role::Pairing || options_.role == Role::Pairing)) {
        return Refuse{RefuseCode::Authentication, "a pairing code is for pairing only: verbcast key pair"};
    }
    return objectionToRole(hello);
}

/// Refuses a caller whose role is not among its grants.
std::optional<Refuse> Handshake::objectionToRole(const Hello& hello) const {
    const bool takes = hello.role == Role::Receiver || hello.role == Role::PipeReceiver;
    if (side_ == Side::Listening && !isVisitor(hello.role) &&
        (grants_ & (takes ? kMayView : kMaySend)) == 0) {
        return Refuse{
            RefuseCode::Authentication,
            fmt::format("{} is not allowed here {}", takes ? "viewing" : "sending",
                        keyName_.empty() ? "without a key" : fmt::format("with the key \"{}\"", keyName_))};
    }
    return std::nullopt;
}

void Handshake::hearHello(const Hello& hello) {
    if (peer_) {
        throw peerError("the peer greeted twice");
    }
    if (const auto no = objection(hello)) {
        refuse(no->code, no->text.value);
        return;
    }
    peer_ = hello;
    peer_->instance = instanceWithKey(hello.instance, keyName_);
    state_ = side_ == Side::Listening ? State::Asked : State::Ready;
}

void Handshake::admit() {
    sayHello();
    state_ = State::Ready;
}

}  // namespace verbcast
