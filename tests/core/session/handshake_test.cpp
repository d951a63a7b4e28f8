// The handshake of two sides, with messages carried by hand.
#include "core/session/greeting/handshake.h"

#include <gtest/gtest.h>

#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

using State = Handshake::State;
using Words = std::vector<Handshake::Message>;

HandshakeOptions optionsOf(Role role, const Trust& trust = {}) {
    return {.role = role, .name = std::string(roleName(role)), .instance = 7, .trust = trust};
}

Trust keyed() {
    return {.key = NamedKey{kSharedKeyName, SessionKey::random()}};
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

/// Delivers messages from `from` to `to` until `to` stops listening.
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
    Handshake caller(optionsOf(Role::Receiver), Side::Connecting, PeerPlace::ThisUser);
    Handshake listener(optionsOf(Role::Sender), Side::Listening, PeerPlace::ThisUser);
    EXPECT_EQ(listener.state(), State::Talking);
    EXPECT_TRUE(listener.takeWords().empty());
    EXPECT_EQ(typesOf(carry(caller, listener)), std::vector{MessageType::Hello});
    EXPECT_TRUE(caller.takeWords().empty()) << "taking empties the list";
    ASSERT_EQ(listener.state(), State::Asked);
    EXPECT_EQ(listener.peer().name.value, "viewer");
    EXPECT_TRUE(listener.takeWords().empty()) << "a peer hears nothing before it is admitted";
    EXPECT_EQ(caller.state(), State::Talking);
    listener.admit();
    EXPECT_EQ(listener.state(), State::Ready);
    EXPECT_EQ(typesOf(carry(listener, caller)), std::vector{MessageType::Hello});
    EXPECT_EQ(caller.state(), State::Ready);
    EXPECT_EQ(caller.peer().role, Role::Sender);
}

TEST(Handshake, AnInstanceIsThatOfAKey) {
    const auto instanceWith = [](const std::string& keyName) {
        Handshake caller(optionsOf(Role::Sender), Side::Connecting, PeerPlace::ThisUser);
        Handshake listener(optionsOf(Role::Receiver), Side::Listening, PeerPlace::ThisUser);
        if (!keyName.empty()) {
            listener.prove(keyName, kMayAll, false);
        }
        carry(caller, listener);
        EXPECT_EQ(listener.state(), State::Asked);
        return listener.peer().instance;
    };
    EXPECT_EQ(instanceWith("wall's key"), instanceWith("wall's key")) << "it is known when it comes back";
    EXPECT_NE(instanceWith("wall's key"), instanceWith("desk's key")) << "desk has heard wall's instance";
    EXPECT_NE(instanceWith("wall's key"), instanceWith(""));
}

TEST(Handshake, AKeyThatOnlyOneSideHasIsNamed) {
    for (const Side side : {Side::Connecting, Side::Listening}) {
        Handshake withKey(optionsOf(Role::Sender, keyed()), side, PeerPlace::ThisUser);
        withKey.takeWords();
        withKey.hear(helloOf(Role::Receiver));
        ASSERT_EQ(withKey.state(), State::Over);
        EXPECT_TRUE(withKey.end().isPermanent());
        EXPECT_EQ(onlyRefusal(withKey), "only one side has a key: the sender");
    }
}

TEST(Handshake, WithoutAKeyOnlyThisMachineIsServed) {
    for (const Role role : {Role::Sender, Role::Receiver, Role::PipeSender, Role::PipeReceiver}) {
        const Role other = role == Role::Sender       ? Role::Receiver
                           : role == Role::Receiver   ? Role::Sender
                           : role == Role::PipeSender ? Role::PipeReceiver
                                                      : Role::PipeSender;
        Handshake listener(optionsOf(role), Side::Listening, PeerPlace::OtherHost);
        listener.hear(helloOf(other));
        ASSERT_EQ(listener.state(), State::Over);
        EXPECT_TRUE(listener.end().isPermanent());
        const std::string said = onlyRefusal(listener);
        for (const char* wayOut : {"--key-file", "key pair", "--open"}) {
            EXPECT_TRUE(contains(said, wayOut));
        }
        Handshake open(optionsOf(role, {.open = true}), Side::Listening, PeerPlace::OtherHost);
        open.hear(helloOf(other));
        EXPECT_EQ(open.state(), State::Asked);
        EXPECT_EQ(open.trust().protection, Protection::None);
        Handshake caller(optionsOf(role), Side::Connecting, PeerPlace::OtherHost);
        caller.hear(helloOf(other));
        EXPECT_EQ(caller.state(), State::Ready) << "who calls another host has chosen whom";
    }
}

TEST(Handshake, WhoConnectsToAnotherUserOfThisMachineIsServedByNobody) {
    for (const Role role : {Role::Sender, Role::Receiver}) {
        const Role other = role == Role::Sender ? Role::Receiver : Role::Sender;
        Handshake caller(optionsOf(role), Side::Connecting, PeerPlace::OtherUser);
        caller.hear(helloOf(other));
        ASSERT_EQ(caller.state(), State::Over);
        EXPECT_TRUE(caller.end().isPermanent());
        EXPECT_TRUE(contains(caller.end().reason, "another user"));
        EXPECT_TRUE(contains(caller.end().remedy, "--open"));
        EXPECT_FALSE(caller.end().needsPairing()) << "this machine is not paired with itself";
        Handshake open(optionsOf(role, {.open = true}), Side::Connecting, PeerPlace::OtherUser);
        open.hear(helloOf(other));
        EXPECT_EQ(open.state(), State::Ready);
        Handshake keyedCaller(optionsOf(role, keyed()), Side::Connecting, PeerPlace::OtherUser);
        keyedCaller.prove("shared", kMayAll, false);
        keyedCaller.hear(helloOf(other));
        EXPECT_EQ(keyedCaller.state(), State::Ready);
        Handshake listener(optionsOf(role), Side::Listening, PeerPlace::OtherUser);
        listener.hear(helloOf(other));
        EXPECT_EQ(onlyRefusal(listener).find("key pair"), std::string::npos);
    }
}

TEST(Handshake, AProvenKeyOpensTheDoorForWhatItIsGranted) {
    for (const Grants grants : {kMayView, kMaySend}) {
        Handshake sender(optionsOf(Role::Sender, keyed()), Side::Listening, PeerPlace::OtherHost);
        sender.prove("shared", grants, false);
        sender.hear(helloOf(Role::Receiver));
        EXPECT_EQ(sender.state(), grants == kMayView ? State::Asked : State::Over);
        Handshake viewer(optionsOf(Role::Receiver, keyed()), Side::Listening, PeerPlace::OtherHost);
        viewer.prove("shared", grants, false);
        viewer.hear(helloOf(Role::Sender));
        EXPECT_EQ(viewer.state(), grants == kMaySend ? State::Asked : State::Over);
        Handshake& refused = grants == kMayView ? viewer : sender;
        EXPECT_TRUE(contains(onlyRefusal(refused), "is not allowed here with the key"));
    }
}

TEST(Handshake, GrantsHoldForThisMachineToo) {
    Handshake sender(optionsOf(Role::Sender, {.grants = kMayInput}), Side::Listening, PeerPlace::ThisUser);
    sender.hear(helloOf(Role::Receiver));
    EXPECT_TRUE(contains(onlyRefusal(sender), "viewing is not allowed"));
}

TEST(Handshake, InputIsForThisMachineAndForKeysThatAreGrantedIt) {
    struct Case {
        PeerPlace place;
        bool proven;
        Grants grants;
        bool may;
    };
    for (const Case& each :
         {Case{PeerPlace::ThisUser, false, kMayAll, true}, Case{PeerPlace::OtherUser, false, kMayAll, false},
          Case{PeerPlace::OtherHost, false, kMayAll, false}, Case{PeerPlace::OtherHost, true, kMayAll, true},
          Case{PeerPlace::OtherHost, true, kMayView, false}}) {
        HandshakeOptions options = optionsOf(Role::Sender, {.open = !each.proven});
        options.features = kTakesInput;
        Handshake listener(options, Side::Listening, each.place);
        if (each.proven) {
            listener.prove("shared", each.grants, false);
        }
        listener.hear(helloOf(Role::Receiver));
        ASSERT_EQ(listener.state(), State::Asked);
        EXPECT_EQ((listener.trust().grants & kMayInput) != 0, each.may);
        listener.admit();
        const Words words = listener.takeWords();
        EXPECT_EQ((read<Hello>(words.front()).features & kTakesInput) != 0, each.may) << "it is told so";
    }
}

TEST(Handshake, EitherSidesWishToEncryptIsEnoughAndNeedsAKey) {
    for (const bool listenerWishes : {false, true}) {
        HandshakeOptions callers = optionsOf(Role::Receiver, keyed());
        callers.trust.encrypt = !listenerWishes;
        HandshakeOptions listeners = optionsOf(Role::Sender, keyed());
        listeners.trust.encrypt = listenerWishes;
        Handshake caller(callers, Side::Connecting, PeerPlace::OtherHost);
        Handshake listener(listeners, Side::Listening, PeerPlace::OtherHost);
        listener.prove("shared", kMayAll, false);
        caller.prove("shared", kMayAll, false);
        carry(caller, listener);
        listener.admit();
        carry(listener, caller);
        EXPECT_EQ(caller.trust().protection, Protection::Encrypted);
        EXPECT_EQ(listener.trust().protection, Protection::Encrypted);
    }
    Handshake listener(optionsOf(Role::Sender, {.open = true, .encrypt = true}), Side::Listening,
                       PeerPlace::OtherHost);
    listener.hear(helloOf(Role::Receiver));
    EXPECT_TRUE(contains(onlyRefusal(listener), "both sides need a key"));
}

TEST(Handshake, AnotherVersionIsRefusedByNumber) {
    Handshake listener(optionsOf(Role::Sender), Side::Listening, PeerPlace::ThisUser);
    listener.hear(helloOf(Role::Receiver, 999));
    EXPECT_EQ(listener.state(), State::Over);
    EXPECT_TRUE(listener.end().isPermanent());
    const std::string said = onlyRefusal(listener);
    EXPECT_TRUE(contains(said, "version 999"));
    EXPECT_TRUE(contains(said, "version " + std::to_string(kProtocolVersion)));
}

TEST(Handshake, AnotherVersionsGreetingMayEndAfterItsNumber) {
    Handshake listener(optionsOf(Role::Sender), Side::Listening, PeerPlace::ThisUser);
    Handshake::Message word = helloOf(Role::Receiver, 1);
    word.resize(1 + sizeof kProtocolMagic + sizeof kProtocolVersion);
    listener.hear(word);
    EXPECT_TRUE(contains(onlyRefusal(listener), "version 1 "));
}

TEST(Handshake, AnotherProtocolIsRefused) {
    Handshake listener(optionsOf(Role::Sender), Side::Listening, PeerPlace::ThisUser);
    Hello hello;
    hello.magic = 0x20544547;  // "GET "
    listener.hear(encodeMessage(hello));
    EXPECT_TRUE(contains(onlyRefusal(listener), "does not speak"));
}

TEST(Handshake, TwoOfTheSameRoleAreToldSo) {
    for (const Role role : {Role::Sender, Role::Receiver, Role::PipeSender, Role::PipeReceiver}) {
        Handshake caller(optionsOf(role), Side::Connecting, PeerPlace::ThisUser);
        Handshake listener(optionsOf(role), Side::Listening, PeerPlace::ThisUser);
        carry(caller, listener);
        ASSERT_EQ(listener.state(), State::Over);
        const Words words = carry(listener, caller);
        EXPECT_EQ(read<Refuse>(words.front()).code, RefuseCode::Role);
        EXPECT_TRUE(contains(caller.end().reason, "both sides are a"));
        EXPECT_TRUE(caller.end().isPermanent());
    }
}

TEST(Handshake, ACallerRefusesAListenerThatDoesNotFit) {
    Handshake caller(optionsOf(Role::Receiver), Side::Connecting, PeerPlace::ThisUser);
    caller.takeWords();
    caller.hear(helloOf(Role::PipeSender));
    EXPECT_EQ(caller.state(), State::Over);
    EXPECT_TRUE(contains(onlyRefusal(caller), "connects only to"));
}

TEST(Handshake, NothingIsHeardBeforeTheGreeting) {
    for (const auto& word : {encodeMessage(Ping{1}), encodeMessage(Credit{}), encodeMessage(Bye{"x"}),
                             encodeMessage(EndOfTrack{})}) {
        Handshake listener(optionsOf(Role::Sender, keyed()), Side::Listening, PeerPlace::ThisUser);
        EXPECT_THROW(listener.hear(word), Error) << static_cast<int>(typeOf(word));
        EXPECT_EQ(listener.state(), State::Talking) << "its owner decides what becomes of that caller";
    }
    Handshake listener(optionsOf(Role::Sender), Side::Listening, PeerPlace::ThisUser);
    EXPECT_THROW(listener.hear({}), Error) << "not even a type";
}

TEST(Handshake, ARefusalNeverWasInTheSession) {
    Handshake caller(optionsOf(Role::Receiver), Side::Connecting, PeerPlace::ThisUser);
    Handshake listener(optionsOf(Role::Sender), Side::Listening, PeerPlace::ThisUser);
    carry(caller, listener);
    listener.refuse(RefuseCode::Busy, "the house is full");
    EXPECT_EQ(listener.state(), State::Over);
    const Words words = carry(listener, caller);
    EXPECT_EQ(typesOf(words), std::vector{MessageType::Refuse}) << "no greeting before it";
    EXPECT_EQ(caller.end().kind, SessionEnd::Kind::Refused);
    EXPECT_TRUE(contains(caller.end().reason, "the house is full"));
    EXPECT_FALSE(caller.end().isPermanent()) << "there may be room later";
}

TEST(Handshake, AProbeFitsEveryListenerButNoOtherProbe) {
    for (const Role role : {Role::Sender, Role::Receiver, Role::PipeSender, Role::PipeReceiver}) {
        Handshake probe(optionsOf(Role::Probe), Side::Connecting, PeerPlace::ThisUser);
        Handshake listener(optionsOf(role), Side::Listening, PeerPlace::ThisUser);
        carry(probe, listener);
        ASSERT_EQ(listener.state(), State::Asked) << roleName(role);
        EXPECT_EQ(listener.peer().role, Role::Probe);
        listener.admit();
        carry(listener, probe);
        EXPECT_EQ(probe.state(), State::Ready);
        EXPECT_EQ(probe.peer().role, role);
    }
    Handshake listener(optionsOf(Role::Probe), Side::Listening, PeerPlace::ThisUser);
    listener.hear(helloOf(Role::Probe));
    EXPECT_EQ(listener.state(), State::Over);
}

TEST(Handshake, NamesAreMadePrintable) {
    Handshake listener(optionsOf(Role::Sender), Side::Listening, PeerPlace::ThisUser);
    Hello hello;
    hello.role = Role::Receiver;
    hello.name.value = "evil\x1b[2Jname";
    listener.hear(encodeMessage(hello));
    EXPECT_EQ(listener.peer().name.value, "evil?[2Jname");
}

}  // namespace
}  // namespace verbcast::testing
