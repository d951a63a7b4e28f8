// The greetings of two sides, as messages that are carried from one to the other by hand.
#include "core/session/handshake.h"

#include <gtest/gtest.h>

namespace verbcast {
namespace {

using State = Handshake::State;
using Words = std::vector<Handshake::Message>;

HandshakeOptions optionsOf(Role role, std::optional<SessionKey> key = {}) {
    return {.role = role, .name = std::string(roleName(role)), .instance = 7, .key = std::move(key)};
}

MessageType typeOf(const Handshake::Message& message) {
    return static_cast<MessageType>(message.front());
}

std::vector<MessageType> typesOf(const Words& words) {
    std::vector<MessageType> types;
    for (const auto& word : words) {
        types.push_back(typeOf(word));
    }
    return types;
}

template <typename M>
M read(const Handshake::Message& message) {
    ByteReader reader(std::span<const std::byte>(message).subspan(1));
    return decodeMessage<M>(reader);
}

/// Carries what `from` has to say to `to`, for as long as that listens.
Words carry(Handshake& from, Handshake& to) {
    Words words = from.takeWords();
    for (const auto& word : words) {
        to.hear(word);
    }
    return words;
}

Handshake::Message helloOf(Role role, std::uint16_t version = kProtocolVersion) {
    Hello hello;
    hello.role = role;
    hello.version = version;
    return encodeMessage(hello);
}

std::string onlyRefusal(Handshake& side) {
    const Words words = side.takeWords();
    EXPECT_EQ(words.size(), 1U);
    EXPECT_EQ(typeOf(words.back()), MessageType::Refuse);
    return words.empty() ? "" : read<Refuse>(words.back()).text.value;
}

TEST(Handshake, WithoutAKeyEachSaysOneWordAndTheListenerOnlyOnceItAdmits) {
    Handshake caller(optionsOf(Role::Receiver), KeySide::Connecting);
    Handshake listener(optionsOf(Role::Sender), KeySide::Listening);
    EXPECT_EQ(listener.state(), State::Talking);
    EXPECT_TRUE(listener.takeWords().empty());
    EXPECT_EQ(typesOf(carry(caller, listener)), std::vector{MessageType::Hello});
    EXPECT_TRUE(caller.takeWords().empty()) << "taking empties the list";
    ASSERT_EQ(listener.state(), State::Asked);
    EXPECT_EQ(listener.peer().name.value, "viewer");
    EXPECT_EQ(listener.peer().instance, 7U);
    EXPECT_TRUE(listener.takeWords().empty()) << "whoever is not admitted yet hears nothing";
    EXPECT_EQ(caller.state(), State::Talking);
    listener.admit();
    EXPECT_EQ(listener.state(), State::Ready);
    EXPECT_EQ(typesOf(carry(listener, caller)), std::vector{MessageType::Hello});
    EXPECT_EQ(caller.state(), State::Ready);
    EXPECT_EQ(caller.peer().role, Role::Sender);
}

TEST(Handshake, WithAKeyBothProveItAndTheListenerOnlyToWhomItAdmits) {
    const SessionKey key = SessionKey::random();
    Handshake caller(optionsOf(Role::Receiver, key), KeySide::Connecting);
    Handshake listener(optionsOf(Role::Sender, key), KeySide::Listening);
    carry(caller, listener);
    EXPECT_EQ(listener.state(), State::Talking) << "a name is no proof";
    EXPECT_EQ(typesOf(carry(listener, caller)), std::vector{MessageType::Hello});
    EXPECT_EQ(caller.state(), State::Talking) << "nor is the listener's";
    EXPECT_EQ(typesOf(carry(caller, listener)), std::vector{MessageType::Proof});
    ASSERT_EQ(listener.state(), State::Asked);
    EXPECT_TRUE(listener.takeWords().empty());
    listener.admit();
    EXPECT_EQ(typesOf(carry(listener, caller)), std::vector{MessageType::Proof});
    EXPECT_EQ(listener.state(), State::Ready);
    EXPECT_EQ(caller.state(), State::Ready);
}

TEST(Handshake, AnotherKeyIsRefusedAndLearnsNoProof) {
    Handshake caller(optionsOf(Role::Receiver, SessionKey::random()), KeySide::Connecting);
    Handshake listener(optionsOf(Role::Sender, SessionKey::random()), KeySide::Listening);
    carry(caller, listener);
    carry(listener, caller);
    carry(caller, listener);
    EXPECT_EQ(listener.state(), State::Over);
    EXPECT_EQ(listener.end().kind, LinkEnd::Kind::Broken);
    const Words words = carry(listener, caller);
    EXPECT_EQ(typesOf(words), std::vector{MessageType::Refuse});
    EXPECT_EQ(read<Refuse>(words.front()).code, RefuseCode::Authentication);
    EXPECT_EQ(caller.state(), State::Over);
    EXPECT_EQ(caller.end().kind, LinkEnd::Kind::Refused);
    EXPECT_TRUE(caller.end().permanent) << "another attempt with this key cannot help";
    EXPECT_NE(caller.end().reason.find("different keys"), std::string::npos) << caller.end().reason;
}

TEST(Handshake, ACallerDoesNotBelieveAListenerWithAnotherKey) {
    const SessionKey key = SessionKey::random();
    Handshake caller(optionsOf(Role::Receiver, key), KeySide::Connecting);
    caller.takeWords();
    Hello hello;
    hello.authentication = Authentication::SharedKey;
    caller.hear(encodeMessage(hello));
    caller.takeWords();
    caller.hear(encodeMessage(Proof{}));
    EXPECT_EQ(caller.state(), State::Over);
    EXPECT_NE(onlyRefusal(caller).find("different keys"), std::string::npos);
}

TEST(Handshake, AKeyOnOneSideOnlyIsRefusedAndNamesWhoHasIt) {
    for (const bool callerHasIt : {false, true}) {
        const SessionKey key = SessionKey::random();
        const auto callersKey = callerHasIt ? std::optional(key) : std::nullopt;
        const auto listenersKey = callerHasIt ? std::nullopt : std::optional(key);
        Handshake caller(optionsOf(Role::Receiver, callersKey), KeySide::Connecting);
        Handshake listener(optionsOf(Role::Sender, listenersKey), KeySide::Listening);
        carry(caller, listener);
        ASSERT_EQ(listener.state(), State::Over);
        const std::string said = onlyRefusal(listener);
        EXPECT_NE(said.find(callerHasIt ? "the viewer" : "the sender"), std::string::npos) << said;
    }
}

TEST(Handshake, TheListenerProvesNothingToAStranger) {
    Handshake listener(optionsOf(Role::Sender, SessionKey::random()), KeySide::Listening);
    Hello hello;
    hello.role = Role::Receiver;
    hello.authentication = Authentication::SharedKey;
    listener.hear(encodeMessage(hello));
    EXPECT_EQ(typesOf(listener.takeWords()), std::vector{MessageType::Hello});
    listener.hear(encodeMessage(Proof{}));
    EXPECT_EQ(listener.state(), State::Over);
    EXPECT_EQ(typesOf(listener.takeWords()), std::vector{MessageType::Refuse});
}

TEST(Handshake, AProofServesNoOtherConnection) {
    const SessionKey key = SessionKey::random();
    Handshake caller(optionsOf(Role::Receiver, key), KeySide::Connecting);
    Handshake first(optionsOf(Role::Sender, key), KeySide::Listening);
    const Words hello = carry(caller, first);
    carry(first, caller);
    const Words proof = carry(caller, first);
    ASSERT_EQ(first.state(), State::Asked);
    Handshake second(optionsOf(Role::Sender, key), KeySide::Listening);
    second.hear(hello.front());
    second.takeWords();
    second.hear(proof.front());
    EXPECT_EQ(second.state(), State::Over);
    EXPECT_EQ(typesOf(second.takeWords()), std::vector{MessageType::Refuse});
}

TEST(Handshake, AListenersOwnWordsAreNoAnswerToIt) {
    // Whoever has no key might let two listeners answer each other, or one itself.
    const SessionKey key = SessionKey::random();
    Handshake honest(optionsOf(Role::Receiver, key), KeySide::Connecting);
    Handshake one(optionsOf(Role::PipeSender, key), KeySide::Listening);
    Handshake other(optionsOf(Role::PipeReceiver, key), KeySide::Listening);
    honest.takeWords();
    Hello stranger;
    stranger.role = Role::PipeReceiver;
    stranger.authentication = Authentication::SharedKey;
    one.hear(encodeMessage(stranger));
    const Words ofOne = one.takeWords();
    other.hear(ofOne.front());  // the other takes it for a caller
    ASSERT_EQ(other.state(), State::Talking);
    const Words ofOther = other.takeWords();
    EXPECT_EQ(typesOf(ofOther), std::vector{MessageType::Hello}) << "nothing that proves anything";
    // A caller whose own proof comes back.
    Handshake caller(optionsOf(Role::PipeReceiver, key), KeySide::Connecting);
    caller.takeWords();
    Hello mirror;
    mirror.role = Role::PipeSender;
    mirror.authentication = Authentication::SharedKey;
    caller.hear(encodeMessage(mirror));
    const Words proof = caller.takeWords();
    ASSERT_EQ(typesOf(proof), std::vector{MessageType::Proof});
    caller.hear(proof.front());
    EXPECT_EQ(caller.state(), State::Over);
}

TEST(Handshake, AnotherVersionIsRefusedByNumber) {
    Handshake listener(optionsOf(Role::Sender), KeySide::Listening);
    listener.hear(helloOf(Role::Receiver, 999));
    EXPECT_EQ(listener.state(), State::Over);
    EXPECT_TRUE(listener.end().permanent);
    const std::string said = onlyRefusal(listener);
    EXPECT_NE(said.find("version 999"), std::string::npos) << said;
    EXPECT_NE(said.find("version " + std::to_string(kProtocolVersion)), std::string::npos) << said;
}

TEST(Handshake, AnotherVersionsGreetingMayEndAfterItsNumber) {
    Handshake listener(optionsOf(Role::Sender), KeySide::Listening);
    Handshake::Message word = helloOf(Role::Receiver, 1);
    word.resize(1 + sizeof kProtocolMagic + sizeof kProtocolVersion);
    listener.hear(word);
    EXPECT_NE(onlyRefusal(listener).find("version 1 "), std::string::npos);
}

TEST(Handshake, AnotherProtocolIsRefused) {
    Handshake listener(optionsOf(Role::Sender), KeySide::Listening);
    Hello hello;
    hello.magic = 0x20544547;  // "GET "
    listener.hear(encodeMessage(hello));
    EXPECT_NE(onlyRefusal(listener).find("does not speak"), std::string::npos);
}

TEST(Handshake, TwoOfTheSameRoleAreToldSo) {
    for (const Role role : {Role::Sender, Role::Receiver, Role::PipeSender, Role::PipeReceiver}) {
        Handshake caller(optionsOf(role), KeySide::Connecting);
        Handshake listener(optionsOf(role), KeySide::Listening);
        carry(caller, listener);
        ASSERT_EQ(listener.state(), State::Over);
        const Words words = carry(listener, caller);
        EXPECT_EQ(read<Refuse>(words.front()).code, RefuseCode::Role);
        EXPECT_NE(caller.end().reason.find("both sides are a"), std::string::npos) << caller.end().reason;
        EXPECT_TRUE(caller.end().permanent);
    }
}

TEST(Handshake, ACallerRefusesAListenerThatDoesNotFit) {
    Handshake caller(optionsOf(Role::Receiver), KeySide::Connecting);
    caller.takeWords();
    caller.hear(helloOf(Role::PipeSender));
    EXPECT_EQ(caller.state(), State::Over);
    EXPECT_NE(onlyRefusal(caller).find("do not fit together"), std::string::npos);
}

TEST(Handshake, AnUnknownAuthenticationIsRefusedByNumber) {
    for (const bool keyed : {false, true}) {
        const auto key = keyed ? std::optional(SessionKey::random()) : std::nullopt;
        Handshake listener(optionsOf(Role::Sender, key), KeySide::Listening);
        Hello hello;
        hello.role = Role::Receiver;
        hello.authentication = static_cast<Authentication>(9);
        listener.hear(encodeMessage(hello));
        EXPECT_EQ(listener.state(), State::Over);
        EXPECT_NE(onlyRefusal(listener).find("method 9"), std::string::npos);
    }
}

TEST(Handshake, NothingIsHeardBeforeTheGreeting) {
    for (const auto& word : {encodeMessage(Ping{1}), encodeMessage(Credit{}), encodeMessage(Bye{"x"}),
                             encodeMessage(EndOfTrack{}), encodeMessage(Proof{})}) {
        Handshake listener(optionsOf(Role::Sender, SessionKey::random()), KeySide::Listening);
        EXPECT_THROW(listener.hear(word), Error) << static_cast<int>(typeOf(word));
        EXPECT_EQ(listener.state(), State::Talking) << "its owner decides what becomes of that caller";
    }
    Handshake listener(optionsOf(Role::Sender), KeySide::Listening);
    EXPECT_THROW(listener.hear({}), Error) << "not even a type";
}

TEST(Handshake, AProofThatNobodyAskedForBreaksTheProtocol) {
    Handshake caller(optionsOf(Role::Receiver), KeySide::Connecting);
    EXPECT_THROW(caller.hear(encodeMessage(Proof{})), Error);
}

TEST(Handshake, NobodyGreetsTwice) {
    const SessionKey key = SessionKey::random();
    Handshake listener(optionsOf(Role::Sender, key), KeySide::Listening);
    Hello hello;
    hello.role = Role::Receiver;
    hello.authentication = Authentication::SharedKey;
    listener.hear(encodeMessage(hello));
    EXPECT_THROW(listener.hear(encodeMessage(hello)), Error);
}

TEST(Handshake, AGoodbyeBetweenGreetingAndProofEndsIt) {
    Handshake listener(optionsOf(Role::Sender, SessionKey::random()), KeySide::Listening);
    Hello hello;
    hello.role = Role::Receiver;
    hello.authentication = Authentication::SharedKey;
    listener.hear(encodeMessage(hello));
    listener.hear(encodeMessage(Bye{"changed my mind"}));
    EXPECT_EQ(listener.state(), State::Over);
    EXPECT_EQ(listener.end().kind, LinkEnd::Kind::Lost);
    EXPECT_EQ(listener.end().reason, "changed my mind");
}

TEST(Handshake, ARefusalNeverWasInTheSession) {
    Handshake caller(optionsOf(Role::Receiver), KeySide::Connecting);
    Handshake listener(optionsOf(Role::Sender), KeySide::Listening);
    carry(caller, listener);
    listener.refuse(RefuseCode::Busy, "the house is full");
    EXPECT_EQ(listener.state(), State::Over);
    const Words words = carry(listener, caller);
    EXPECT_EQ(typesOf(words), std::vector{MessageType::Refuse}) << "no greeting before it";
    EXPECT_EQ(caller.end().kind, LinkEnd::Kind::Refused);
    EXPECT_NE(caller.end().reason.find("the house is full"), std::string::npos);
    EXPECT_FALSE(caller.end().permanent) << "there may be room later";
}

TEST(Handshake, AProbeFitsEveryListenerButNoOtherProbe) {
    for (const Role role : {Role::Sender, Role::Receiver, Role::PipeSender, Role::PipeReceiver}) {
        Handshake probe(optionsOf(Role::Probe), KeySide::Connecting);
        Handshake listener(optionsOf(role), KeySide::Listening);
        carry(probe, listener);
        ASSERT_EQ(listener.state(), State::Asked) << roleName(role);
        EXPECT_EQ(listener.peer().role, Role::Probe);
        listener.admit();
        carry(listener, probe);
        EXPECT_EQ(probe.state(), State::Ready);
        EXPECT_EQ(probe.peer().role, role);
    }
    Handshake listener(optionsOf(Role::Probe), KeySide::Listening);
    listener.hear(helloOf(Role::Probe));
    EXPECT_EQ(listener.state(), State::Over);
}

TEST(Handshake, NamesAreMadePrintable) {
    Handshake listener(optionsOf(Role::Sender), KeySide::Listening);
    Hello hello;
    hello.role = Role::Receiver;
    hello.name.value = "evil\x1b[2Jname";
    listener.hear(encodeMessage(hello));
    EXPECT_EQ(listener.peer().name.value, "evil?[2Jname");
}

}  // namespace
}  // namespace verbcast
