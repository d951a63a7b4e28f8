// Rails that were not configured by name.
#include <gtest/gtest.h>

#include "core/multirail/rail_search.h"
#include "core/session/greeting/session_acceptor.h"
#include "core/transport/socket_address.h"
#include "tests/core/session/core_support.h"
#include "tests/support/reserved_address.h"

namespace verbcast::testing {
namespace {

using Addresses = std::vector<std::string>;

std::string networkOf(const std::string& address) {
    return address.substr(0, address.rfind(address.find(':') == std::string::npos ? '.' : ':'));
}

bool anyAnswers(const std::string& /*address*/) {
    return true;
}

TEST(RailSearch, ASpareIsReachedByAnInterfaceOfItsOwn) {
    const auto among = [](const char* told) { return sparesAmong(told, "10.0.1", networkOf, anyAnswers); };
    EXPECT_EQ(among("10.0.1.1,10.0.2.1"), Addresses{"10.0.2.1"});
    EXPECT_EQ(among("10.0.2.1,10.0.2.9,10.0.3.1"), (Addresses{"10.0.2.1", "10.0.3.1"}));
    EXPECT_EQ(among("10.0.1.1"), Addresses{});
    EXPECT_EQ(among(""), Addresses{});
    EXPECT_EQ(among("2001:db8:2::1"), Addresses{"2001:db8:2::1"});
    EXPECT_EQ(among("10.0.2.1,10.0.3.1,10.0.4.1,10.0.5.1,10.0.6.1").size(), kMaxRails - 1U);
    const auto noRoute = [](const std::string&) { return std::string(); };
    EXPECT_EQ(sparesAmong("10.0.2.1", "eth0", noRoute, anyAnswers), Addresses{});
}

TEST(RailSearch, WhatDoesNotAnswerTakesNoPlace) {
    int asked = 0;
    const auto answers = [&](const std::string& address) {
        ++asked;
        return !address.starts_with("172.");
    };
    const auto oneInterface = [](const std::string&) { return std::string("eth1"); };
    EXPECT_EQ(
        sparesAmong("172.17.0.1,172.18.0.1,172.19.0.1,10.0.2.1,10.0.2.2", "eth0", oneInterface, answers),
        Addresses{"10.0.2.1"});
    EXPECT_EQ(asked, 4);
    std::string many;
    for (int i = 0; i < 60; ++i) {
        many += "172.17.0.1,";
    }
    EXPECT_EQ(sparesAmong(many + "10.0.2.1", "eth0", oneInterface, answers), Addresses{});
    EXPECT_LE(asked, 4 + 8) << "a peer makes us try too much";
}

TEST(RailSearch, WhatAPeerMakesUpIsNoAddress) {
    int asked = 0;
    const auto interface = [&](const std::string& address) {
        ++asked;
        return networkOf(address);
    };
    for (const char* told : {"127.0.0.1", "0.0.0.0", "239.1.2.3", "255.255.255.255", "::1", "::", "ff02::1",
                             "fe80::1", "::ffff:127.0.0.1", "example.com", "10.0.2.1:22", "10.0.2", ",,,",
                             "10.0.2.1 ", "-", "tcp://10.0.2.1"}) {
        EXPECT_EQ(sparesAmong(told, "eth0", interface, anyAnswers), Addresses{}) << told;
    }
    EXPECT_EQ(asked, 0);
    std::string many;
    for (int i = 0; i < 10'000; ++i) {
        many += "10.0.1.1,";
    }
    EXPECT_EQ(sparesAmong(many + "10.0.2.1", "10.0.1", interface, anyAnswers), Addresses{});
    EXPECT_LE(asked, 64);
}

TEST(RailSearch, APeerTellsWholeAddressesHoweverManyItHas) {
    HandshakeOptions listening;
    listening.trust.open = true;
    listening.addresses = [] {
        return std::vector<std::string>(200, "2001:db8:1234:5678:9abc:def0:1234:5678");
    };
    HandshakeOptions probe;
    probe = railProbe(probe);
    Handshake caller(probe, Side::Connecting, PeerPlace::ThisUser),
        listener(listening, Side::Listening, PeerPlace::ThisUser);
    for (const auto& word : caller.takeWords()) {
        listener.hear(word);
    }
    ASSERT_EQ(listener.state(), Handshake::State::Asked);
    listener.admit();
    for (const auto& word : listener.takeWords()) {
        caller.hear(word);
    }
    ASSERT_EQ(caller.state(), Handshake::State::Ready);
    const std::string& told = caller.peer().addresses.value;
    EXPECT_EQ((told.size() + 1) % (listening.addresses().front().size() + 1), 0U) << told;
    EXPECT_TRUE(told.starts_with(listening.addresses().front() + ","));
}

TEST(RailSearch, AddressesAreToldOnlyByWhoListensAtAllOfThem) {
    EXPECT_TRUE(toldAddresses(Url{}));
    for (const char* url : {"tcp://", "tcp://:7423", "tcp://0.0.0.0:7423", "tcp://[::]:7423", ":7423"}) {
        EXPECT_TRUE(toldAddresses(parseUrl(url))) << url;
    }
    for (const char* url : {"tcp://127.0.0.1:7423", "10.0.1.1", "shm://name"}) {
        EXPECT_FALSE(toldAddresses(parseUrl(url))) << url;
    }
    for (const std::string& address : hostAddresses()) {
        EXPECT_NE(interfaceWith(address), "") << address;
        EXPECT_NE(interfaceWith(address), "lo") << address;
    }
}

TEST(RailSearch, AnAddressIsReadWithAndWithoutItsPort) {
    EXPECT_EQ(hostOfAddress("10.0.1.1:7423"), "10.0.1.1");
    EXPECT_EQ(hostOfAddress("10.0.1.1"), "10.0.1.1");
    EXPECT_EQ(hostOfAddress("[2001:db8::2]:7423"), "2001:db8::2");
    EXPECT_EQ(hostOfAddress("2001:db8::2"), "2001:db8::2");
}

TEST(RailSearch, WhereThereIsNoOtherWayTheStreamTakesTheOneThereIs) {
    const VideoFormat format = tightFormat(160, 120, PixelFormat::rgba);
    for (const bool senderListens : {true, false}) {
        SCOPED_TRACE(senderListens);
        SenderOptions sending;
        sending.url = parseUrl("tcp://127.0.0.1:0");
        sending.policy = Policy::Lossless;
        ReceiverOptions receiving = receiverOptions("tcp://127.0.0.1:0");
        std::unique_ptr<Broadcast> sender;
        std::unique_ptr<FrameReceiver> viewer;
        if (senderListens) {
            sender = std::make_unique<Broadcast>(sending);
            receiving.url = parseUrl(sender->listenAddresses().front());
            receiving.findsRails = true;
            viewer = std::make_unique<FrameReceiver>(receiving);
        } else {
            receiving.listen = true;
            viewer = std::make_unique<FrameReceiver>(receiving);
            sending.listen = false;
            sending.url = parseUrl(viewer->listenAddresses().front());
            sending.findsRails = true;
            sender = std::make_unique<Broadcast>(sending);
        }
        TestSource source(format, 8);
        ReceivedFrame frame;
        for (std::uint64_t expected = 0; expected < 10; ++expected) {
            ASSERT_EQ(source.sendToWhoComes(*sender), Status::Ok);
            ASSERT_EQ(viewer->receive(frame, kLimit), Status::Ok);
            EXPECT_EQ(frame.info.sequence, expected);
        }
        frame = {};
        EXPECT_TRUE(viewer->stats().rails.empty());
        EXPECT_EQ(sender->finish("done", kLimit, Event()), Status::Ok);
        EXPECT_EQ(viewer->receive(frame, kLimit), Status::Closed);
    }
}

TEST(RailSearch, EndsWhenNobodyIsThereAndItIsNotWantedAnyMore) {
    const std::string nobody = ReservedAddress("tcp").url();
    ReceiverOptions receiving = receiverOptions(nobody);
    receiving.findsRails = true;
    {
        FrameReceiver viewer(receiving);
        ReceivedFrame frame;
        EXPECT_EQ(viewer.receive(frame, 50ms), Status::TimedOut);
        viewer.cancel();
        EXPECT_EQ(viewer.receive(frame, kLimit), Status::Cancelled);
    }
    SenderOptions sending;
    sending.listen = false;
    sending.url = parseUrl(nobody);
    sending.findsRails = true;
    Broadcast sender(sending);
    EXPECT_EQ(sender.waitForReceiver(50ms, Event()), Status::TimedOut);
    EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
}

TEST(RailSearch, OfWhatCannotHaveRailsIsRefused) {
    for (const char* url : {"shm://name", "multicast://239.10.0.7"}) {
        ReceiverOptions receiving = receiverOptions(url);
        receiving.findsRails = true;
        EXPECT_THROW(FrameReceiver{receiving}, Error) << url;
    }
}

}  // namespace
}  // namespace verbcast::testing
