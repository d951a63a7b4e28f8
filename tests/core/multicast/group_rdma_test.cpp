// One sender's viewers that receive from an RDMA network, and those that do not.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/core/multicast/memory_group.h"
#include "tests/core/multicast/stage_session.h"
#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

GroupOptions optionsVia(multicast::Via via, bool tagged = false, bool encrypted = false) {
    GroupOptions made = options(false, tagged);
    made.encrypted = encrypted;
    made.address.via = via;
    return made;
}

::testing::AssertionResult comesWhole(Session& session, const std::shared_ptr<FramePool>& frames,
                                      std::uint64_t sequence) {
    const std::size_t before = session.viewer.arrived.size();
    auto result =
        session.until([&] { return session.out->send(session.frame(frames, 2, sequence)) == Status::Ok; });
    if (!result || !(result = session.until([&] { return session.viewer.arrived.size() > before; }))) {
        return result;
    }
    const bool same = std::memcmp(session.viewer.pool->slotData(session.viewer.slots.back()),
                                  frames->slotData(2), kBytes) == 0;
    return same ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << "it is another picture";
}

struct Kind {
    const char* name;
    bool tagged, encrypted;
};

class GroupRdma : public ::testing::TestWithParam<Kind> {};

TEST_P(GroupRdma, FramesComeByTheWayThatBothEndsHave) {
    MemoryGroup network;
    const auto hub = std::make_shared<GroupHub>(
        optionsVia(multicast::Via::Auto, GetParam().tagged, GetParam().encrypted), network.sender());
    Session near(hub, Protection::None, nullptr, network.receiver()),
        other(hub, Protection::None, nullptr, network.receiver());
    Session far(hub);
    const auto frames = noise();
    for (Session* session : {&near, &other, &far}) {
        ASSERT_TRUE(
            session->until([&] { return session->out->send(session->frame(frames, 2, 7)) == Status::Ok; }));
    }
    for (Session* session : {&near, &other, &far}) {
        ASSERT_TRUE(session->until([&] { return !session->viewer.arrived.empty(); }));
        EXPECT_EQ(std::memcmp(session->viewer.pool->slotData(session->viewer.slots[0]), frames->slotData(2),
                              kBytes),
                  0);
        ASSERT_TRUE(session->until([&] { return !session->sender.sent.empty(); }));
    }
    // On a busy machine a viewer may request chunks that are only late, and receive them over its session.
    EXPECT_GT(near.in->groupStats().rdmaDatagrams, 0U);
    EXPECT_EQ(near.in->groupStats().rdmaDatagrams, near.in->groupStats().datagrams);
    EXPECT_EQ(near.in->groupStats().refused, 0U);
    EXPECT_EQ(far.in->groupStats().rdmaDatagrams, 0U);
    EXPECT_GT(far.in->groupStats().datagrams, 0U) << "by UDP";
    const GroupStats sent = hub->stats();
    EXPECT_EQ(sent.frames, 2U) << "once by each way";
    EXPECT_EQ(sent.rdmaFrames, 1U);
    const std::size_t room =
        MemoryGroup::kMtu - multicast::kHeadBytes - (GetParam().tagged ? multicast::kTagBytes : 0);
    EXPECT_GE(sent.rdmaDatagrams, multicast::chunksOf(kBytes, static_cast<std::uint32_t>(room / 16 * 16)));
}

TEST_P(GroupRdma, WhatIsLostIsAskedFor) {
    MemoryGroup network;
    network.lose = 10;
    const auto hub = std::make_shared<GroupHub>(
        optionsVia(multicast::Via::Rdma, GetParam().tagged, GetParam().encrypted), network.sender());
    Session session(hub, Protection::None, nullptr, network.receiver());
    const auto frames = noise();
    for (std::uint64_t sequence = 1; sequence < 4; ++sequence) {
        ASSERT_TRUE(comesWhole(session, frames, sequence));
        ASSERT_TRUE(session.until([&] { return session.sender.sent.size() == sequence; }));
        session.viewer.pool->slots().takeFree([](std::uint32_t) {});
    }
    EXPECT_GT(session.in->groupStats().requests, 0U);
    EXPECT_GT(session.in->groupStats().rdmaDatagrams, 0U);
}

TEST_P(GroupRdma, AViewerWithoutADeviceGetsThemByUdp) {
    MemoryGroup network;
    const auto hub = std::make_shared<GroupHub>(
        optionsVia(multicast::Via::Auto, GetParam().tagged, GetParam().encrypted), network.sender());
    const auto frames = noise();
    const auto byUdp = [&](std::uint64_t sequence) {
        Session session(hub, Protection::None, nullptr, network.receiver());
        ASSERT_TRUE(comesWhole(session, frames, sequence));
        EXPECT_EQ(session.in->groupStats().rdmaDatagrams, 0U);
        EXPECT_GT(session.in->groupStats().datagrams, 0U);
    };
    network.refusal = "no RDMA device leads to eth0";
    byUdp(1);
    network.refusal.clear();
    network.nameThere = {std::byte{0xfe}};  // another network's name
    byUdp(2);
    network.nameThere = {std::byte{0xff}};
    network.mtuThere = 2048;
    byUdp(3);
    network.mtuThere = MemoryGroup::kMtu;
    Session session(hub, Protection::None, nullptr, network.receiver());
    ASSERT_TRUE(comesWhole(session, frames, 8));
    EXPECT_GT(session.in->groupStats().rdmaDatagrams, 0U) << "and this one by RDMA again";
}

INSTANTIATE_TEST_SUITE_P(Keys, GroupRdma,
                         ::testing::Values(Kind{"open", false, false}, Kind{"tagged", true, false},
                                           Kind{"encrypted", true, true}),
                         [](const auto& test) { return test.param.name; });

std::string refusalOf(Session& session) {
    return thrownBy([&] {
               static_cast<void>(session.until([&] { return session.in->groupStats().datagrams > 0; }));
           })
        .what();
}

TEST(GroupRdmaChoice, ViewersAreToldWhyTheyGetNothing) {
    MemoryGroup network;
    const auto required = std::make_shared<GroupHub>(optionsVia(multicast::Via::Rdma), network.sender());
    network.refusal = "no RDMA device leads to eth7";
    Session none(required, Protection::None, nullptr, network.receiver());
    EXPECT_TRUE(
        contains(refusalOf(none), "which the sender asks for (via=rdma): no RDMA device leads to eth7"));
    multicast::GroupAddress wanted = required->options().address;
    const auto udp = std::make_shared<GroupHub>(optionsVia(multicast::Via::Udp), network.sender());
    wanted = udp->options().address;
    wanted.via = multicast::Via::Rdma;
    network.refusal.clear();
    Session only(udp, Protection::None, &wanted, network.receiver());
    EXPECT_TRUE(contains(refusalOf(only),
                         "this viewer asks for (via=rdma): the sender: the sender's address says via=udp"));
}

TEST(GroupRdmaChoice, ASenderWithoutADeviceSendsByUdpOrSaysWhy) {
    const GroupHub::OpenRdma none = [](const auto&...) -> std::unique_ptr<multicast::GroupPort> {
        throw Error(ErrorKind::Device, "no RDMA device leads to lo", "see");
    };
    const auto hub = std::make_shared<GroupHub>(optionsVia(multicast::Via::Auto), none);
    EXPECT_EQ(hub->byRdma().hub, nullptr);
    EXPECT_EQ(hub->byRdma().offer.refusal.value, "no RDMA device leads to lo");
    const Error error = thrownBy([&] { GroupHub required(optionsVia(multicast::Via::Rdma), none); });
    EXPECT_EQ(error.kind(), ErrorKind::Device);
    EXPECT_TRUE(contains(error.what(), "via=rdma"));
    EXPECT_TRUE(contains(error.what(), "no RDMA device leads to lo"));
    EXPECT_FALSE(error.remedy().empty());
}

TEST(GroupRdmaChoice, ADeviceThatLeavesEndsTheSessionsThatUsedIt) {
    MemoryGroup network;
    const auto hub = std::make_shared<GroupHub>(optionsVia(multicast::Via::Auto), network.sender());
    Session session(hub, Protection::None, nullptr, network.receiver());
    const auto frames = noise();
    ASSERT_TRUE(comesWhole(session, frames, 7));
    network.breakPort();
    ASSERT_TRUE(session.until([&] { return session.sending->process() == Progress::Closed; }))
        << "it is lost";
    EXPECT_EQ(session.sending->closeReason(),
              "the group is not sent by RDMA any more: the device was removed");
    Session again(hub, Protection::None, nullptr, network.receiver());
    ASSERT_TRUE(comesWhole(again, frames, 8));
    EXPECT_EQ(again.in->groupStats().rdmaDatagrams, 0U) << "it is back, by UDP";
    EXPECT_EQ(hub->byRdma().offer.refusal.value, "the device was removed");
}

TEST(GroupRdmaChoice, ADeviceThatComesBackIsUsedAgain) {
    MemoryGroup network;
    const auto hub = std::make_shared<GroupHub>(optionsVia(multicast::Via::Rdma, true), network.sender());
    const auto frames = noise();
    {
        Session session(hub, Protection::None, nullptr, network.receiver());
        ASSERT_TRUE(comesWhole(session, frames, 7));
        network.breakPort();
        ASSERT_TRUE(session.until([&] { return session.sending->process() == Progress::Closed; }));
    }
    EXPECT_EQ(hub->byRdma().hub, nullptr);
    network.mendPort();
    ASSERT_TRUE(happens([&] { return hub->byRdma().hub != nullptr; }));
    Session again(hub, Protection::None, nullptr, network.receiver());
    ASSERT_TRUE(comesWhole(again, frames, 8));
    EXPECT_GT(again.in->groupStats().rdmaDatagrams, 0U);
    EXPECT_EQ(hub->stats().rdmaFrames, 2U) << "those of before count";
}

/// What the network may deliver in addition to the sender's datagrams.
class GroupRdmaUnknownPeers : public ::testing::Test {
  protected:
    GroupRdmaUnknownPeers()
        : hub_(std::make_shared<GroupHub>(optionsVia(multicast::Via::Rdma), network_.sender())),
          session_(hub_, Protection::None, nullptr, network_.receiver()) {}

    void SetUp() override {
        ASSERT_TRUE(comesWhole(session_, frames_, 1));
        genuine_ = network_.last();
        ASSERT_GT(genuine_.size(), multicast::kHeadBytes);
    }
    ::testing::AssertionResult isRefused(std::vector<std::byte> datagram,
                                         const multicast::GroupOrigin& from) {
        const GroupStats before = session_.in->groupStats();
        network_.inject(std::move(datagram), from);
        return session_.until([&] { return session_.in->groupStats().refused == before.refused + 1; });
    }
    multicast::DatagramHead head() const {
        multicast::DatagramHead read;
        std::memcpy(&read, genuine_.data(), sizeof read);
        return read;
    }
    std::vector<std::byte> with(const multicast::DatagramHead& head) const {
        auto changed = genuine_;
        std::memcpy(changed.data(), &head, sizeof head);
        return changed;
    }

    MemoryGroup network_;
    std::shared_ptr<GroupHub> hub_;
    Session session_;
    std::shared_ptr<FramePool> frames_ = noise();
    std::vector<std::byte> genuine_;
};

TEST_F(GroupRdmaUnknownPeers, AreRefused) {
    const multicast::GroupOrigin sender = MemoryGroup::senderOrigin();
    multicast::GroupOrigin queue = sender, host = sender;
    queue.number += 1;
    host.address[15] = std::byte{1};
    EXPECT_TRUE(isRefused(genuine_, queue));
    EXPECT_TRUE(isRefused(genuine_, host));
    EXPECT_TRUE(isRefused({}, {})) << "what had no header";
    EXPECT_TRUE(isRefused({genuine_.begin(), genuine_.begin() + 39}, sender));
    EXPECT_TRUE(isRefused(std::vector<std::byte>(4096, std::byte{0xff}), sender));
    multicast::DatagramHead changed = head();
    changed.stream ^= 1;
    EXPECT_TRUE(isRefused(with(changed), sender));
    changed = head();
    changed.chunk = changed.chunks;
    EXPECT_TRUE(isRefused(with(changed), sender));
    changed = head();
    changed.chunk = 0;  // too short for a chunk that is not the last
    EXPECT_TRUE(isRefused(with(changed), sender));
    changed = head();
    changed.keyId = 1;
    EXPECT_TRUE(isRefused(with(changed), sender));
    ASSERT_TRUE(comesWhole(session_, frames_, 2)) << "and the stream goes on";
}

TEST_F(GroupRdmaUnknownPeers, AChunkBeyondItsFrameChangesNothing) {
    multicast::DatagramHead changed = head();
    changed.frame += 1;
    changed.chunks = multicast::kMaxChunks;
    changed.chunk = multicast::kMaxChunks - 1;
    network_.inject(with(changed), MemoryGroup::senderOrigin());
    ASSERT_TRUE(comesWhole(session_, frames_, 2));
}

TEST(GroupRdmaMessages, OffersThatCannotBeAreRefused) {
    const auto check = [](auto change) {
        GroupUdOffer offer;
        offer.stream = 1;
        offer.sourceQueue = 17;
        offer.chunkBytes = 4048;
        change(offer);
        offer.check();
    };
    EXPECT_NO_THROW(check([](GroupUdOffer&) {}));
    EXPECT_THROW(check([](GroupUdOffer& offer) { offer.stream = 0; }), Error);
    EXPECT_THROW(check([](GroupUdOffer& offer) { offer.sourceQueue = 1; }), Error);
    EXPECT_THROW(check([](GroupUdOffer& offer) { offer.sourceQueue = 0xffffff; }), Error);
    EXPECT_THROW(check([](GroupUdOffer& offer) { offer.chunkBytes = 1; }), Error);
    EXPECT_THROW(check([](GroupUdOffer& offer) { offer.chunkBytes = 1U << 31; }), Error);
    EXPECT_NO_THROW(check([](GroupUdOffer& offer) {
        offer = {};
        offer.refusal = "no device";
    }));
}

TEST(GroupRdmaMessages, AViewerThatWasOfferedNothingCannotJoin) {
    MemoryGroup network;
    const auto udp = std::make_shared<GroupHub>(optionsVia(multicast::Via::Udp), network.sender());
    Session none(udp), hears(udp, Protection::None, nullptr, network.receiver());
    EXPECT_THROW(none.sayToSender(GroupUdJoined{}), Error);
    EXPECT_THROW(hears.sayToSender(GroupUdJoined{}), Error);
    const auto rdma = std::make_shared<GroupHub>(optionsVia(multicast::Via::Rdma), network.sender());
    Session required(rdma, Protection::None, nullptr, network.receiver());
    EXPECT_THROW(required.sayToSender(GroupJoined{}), Error);
    Session twice(rdma, Protection::None, nullptr, network.receiver());
    twice.sayToSender(GroupUdJoined{});
    EXPECT_THROW(twice.sayToSender(GroupUdJoined{}), Error);
}

}  // namespace
}  // namespace verbcast::testing
