// Group peers that break the rules, and repairs that coincide with a change.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "tests/core/multicast/stage_session.h"

namespace verbcast::testing {
namespace {

/// Datagrams of a sender that the test plays: a tagged frame of two chunks.
class TaggedSender {
  public:
    static constexpr std::uint32_t kChunkBytes = 1024;

    TaggedSender()
        : group_(anyGroup()),
          sender_(group_, multicast::interfaceOf(group_), 1),
          needsPairing_(group_, multicast::interfaceOf(group_), 1),
          path_(std::make_shared<RepairPath>()) {
        auto [one, other] = MemoryChannel::pair();
        ours_ = one;
        viewing_ = std::make_shared<GroupChannel>(other, "a group");
        viewing_->setHandler(&viewer);
        in_ = std::make_unique<GroupSinkPath>(path_, viewing_, group_, Protection::None);
        in_->setHandler(&viewer);
        viewer.pool = pool(4, 2 * kChunkBytes);
        in_->offer(kStageRing, viewer.pool);
        viewer.pool->slots().takeFree([](std::uint32_t) {});
        static_cast<void>(viewing_->send(encodeMessage(Accept{kMainTrack, 1, kStageRing, true, 0})));
        GroupOffer offer;
        offer.stream = kStream;
        const sockaddr_in source = sender_.source();
        std::memcpy(offer.group.data(), &group_.group, offer.group.size());
        std::memcpy(offer.source.data(), &source.sin_addr, offer.source.size());
        offer.port = group_.port;
        offer.sourcePort = ntohs(source.sin_port);
        offer.chunkBytes = kChunkBytes;
        offer.tagged = true;
        say(offer);
        say(GroupKeyMessage{1, key});
    }
    template <typename Message>
    void say(const Message& message) {
        static_cast<void>(ours_->send(encodeMessage(message)));
        while (viewing_->process() == Progress::Worked) {
        }
    }
    /// A chunk of frame 1, filled with `fill`.
    static std::vector<std::byte> datagram(std::uint32_t chunk, std::byte fill, const DatagramKey& with,
                                           std::uint16_t keyId = 1) {
        multicast::DatagramHead head;
        head.keyId = keyId;
        head.stream = kStream;
        head.counter = 1 + chunk;
        head.frame = 1;
        head.chunk = chunk;
        head.chunks = 2;
        std::vector<std::byte> bytes(multicast::kHeadBytes + kChunkBytes + multicast::kTagBytes, fill);
        std::memcpy(bytes.data(), &head, multicast::kHeadBytes);
        DatagramSeal(with, false, DatagramSeal::Use::Seal)
            .seal(head.counter, std::span(bytes).first(multicast::kHeadBytes),
                  std::span(bytes).subspan(multicast::kHeadBytes, kChunkBytes), nullptr,
                  bytes.data() + multicast::kHeadBytes + kChunkBytes);
        return bytes;
    }
    void send(std::span<const std::byte> bytes) {
        ASSERT_EQ(sender_.sendOne(bytes), multicast::GroupSender::Sent::Yes);
    }
    void sendAsUnknownPeer(std::span<const std::byte> bytes) {
        ASSERT_EQ(needsPairing_.sendOne(bytes), multicast::GroupSender::Sent::Yes);
    }
    ::testing::AssertionResult counts(std::uint64_t taken, std::uint64_t refused) {
        const Deadline end = Deadline::in(kPatience);
        const auto done = [&] {
            const GroupStats stats = in_->groupStats();
            return stats.datagrams + stats.refused >= taken + refused;
        };
        while (!done() && !end.passed()) {
            in_->poll();
            waitReadable({in_->waitDescriptor()}, std::chrono::milliseconds(1));
        }
        const GroupStats stats = in_->groupStats();
        return stats.datagrams == taken && stats.refused == refused ? ::testing::AssertionSuccess()
                                                                    : ::testing::AssertionFailure()
                                                                          << stats.datagrams << " taken, "
                                                                          << stats.refused << " refused";
    }
    void tellOfFrame() {
        FrameInfo info;
        info.sequence = 1;
        info.payloadBytes = 2 * kChunkBytes;
        const auto bytes = std::as_bytes(std::span(&info, 1)).first(frameInfoBytes(info));
        say(GroupFrame{1, kStageRing, {bytes.begin(), bytes.end()}});
        in_->poll();
    }

    Handler viewer;
    const DatagramKey key = randomDatagramKey();

  private:
    static constexpr std::uint64_t kStream = 77;

    const multicast::GroupAddress group_;
    multicast::GroupSender sender_, needsPairing_;
    std::shared_ptr<RepairPath> path_;
    std::shared_ptr<MemoryChannel> ours_;
    std::shared_ptr<GroupChannel> viewing_;
    std::unique_ptr<GroupSinkPath> in_;
};

TEST(GroupFaults, ForgedDatagramsChangeNothing) {
    TaggedSender sender;
    const std::byte fill{0x11}, forged{0xee};
    const auto good = TaggedSender::datagram(0, fill, sender.key);
    auto spoilt = good;
    spoilt.back() ^= std::byte{1};
    sender.send(spoilt);
    ASSERT_TRUE(sender.counts(0, 1)) << "a tag that does not fit";
    auto otherPayload = good;
    otherPayload[multicast::kHeadBytes] ^= std::byte{1};
    sender.send(otherPayload);
    ASSERT_TRUE(sender.counts(0, 2)) << "a payload that the tag is not of";
    auto otherPlace = good;
    const std::uint32_t place = 1;
    std::memcpy(otherPlace.data() + offsetof(multicast::DatagramHead, chunk), &place, sizeof place);
    sender.send(otherPlace);
    ASSERT_TRUE(sender.counts(0, 3)) << "a replay for another place";
    sender.send(TaggedSender::datagram(0, forged, sender.key, 9));
    ASSERT_TRUE(sender.counts(0, 4)) << "a key that nobody told";
    sender.send(TaggedSender::datagram(0, forged, randomDatagramKey()));
    ASSERT_TRUE(sender.counts(0, 5)) << "another key by the name of ours";
    sender.sendAsUnknownPeer(good);
    ASSERT_TRUE(sender.counts(0, 6)) << "from another port";
    sender.send(good);
    ASSERT_TRUE(sender.counts(1, 6));
    sender.send(good);
    ASSERT_TRUE(sender.counts(2, 6)) << "a replay is a datagram, and changes nothing";
    sender.send(TaggedSender::datagram(1, fill, sender.key));
    ASSERT_TRUE(sender.counts(3, 6));
    sender.tellOfFrame();
    ASSERT_EQ(sender.viewer.arrived.size(), 1U);
    sender.send(good);
    ASSERT_TRUE(sender.counts(4, 6)) << "nor once the frame is shown";
    EXPECT_EQ(sender.viewer.arrived.size(), 1U);
    const std::byte* const shown = sender.viewer.pool->slotData(sender.viewer.slots[0]);
    EXPECT_TRUE(std::all_of(shown, shown + 2 * TaggedSender::kChunkBytes,
                            [&](std::byte byte) { return byte == fill; }));
}

GroupMissing lacks(std::uint64_t frame, std::uint64_t request, multicast::ChunkRange range) {
    GroupMissing message{frame, request, kStageRing, 0, {}};
    message.ranges.push(range);
    return message;
}

/// Sends a frame to a viewer that sends nothing by itself.
void leaveFrame(Session& session, GroupHub& hub, const std::shared_ptr<FramePool>& frames) {
    ASSERT_TRUE(session.until([&] { return session.out->send(session.frame(frames, 0, 1)) == Status::Ok; }));
    const Deadline end = Deadline::in(kPatience);
    while (hub.stats().datagrams < multicast::chunksOf(kBytes, hub.chunkBytes()) && !end.passed()) {
        std::this_thread::yield();
    }
    session.ours->in->clear();
}

TEST(GroupFaults, ASlotIsReadUntilItsRepairHasLeft) {
    const auto hub = std::make_shared<GroupHub>(options());
    Session session(hub);
    const auto frames = noise();
    ASSERT_NO_FATAL_FAILURE(leaveFrame(session, *hub, frames));
    RepairPath away;
    Handler taker;
    taker.pool = pool(4, kBytes);
    away.setHandler(&taker);
    session.source->peer = &away;
    session.source->held = true;
    session.sayToSender(lacks(1, 1'000, {0, 1}));
    ASSERT_EQ(session.source->sent.size(), 1U);
    session.sayToSender(GroupDone{1, false});
    EXPECT_TRUE(session.sender.sent.empty()) << "its connection still reads the slot";
    EXPECT_THROW(session.sayToSender(GroupDone{1, false}), Error) << "done twice";
    session.source->held = false;
    session.out->poll();
    EXPECT_EQ(session.sender.sent, std::vector<std::uint32_t>{0});
}

TEST(GroupFaults, WhatARingLacksThatWasReplacedComesByTheGroup) {
    const auto hub = std::make_shared<GroupHub>(options());
    Session session(hub);
    const auto frames = noise();
    ASSERT_NO_FATAL_FAILURE(leaveFrame(session, *hub, frames));
    const std::uint64_t before = hub->stats().datagrams;
    session.ours->room = 0;  // the request must wait
    session.sayToSender(lacks(1, 1'000, {0, 1}));
    session.out->forget(kStageRing);
    session.ours->room = 1000;
    session.out->poll();
    EXPECT_TRUE(session.source->sent.empty());
    const Deadline end = Deadline::in(kPatience);
    while (hub->stats().datagrams == before && !end.passed()) {
        std::this_thread::yield();
    }
    EXPECT_EQ(hub->stats().datagrams, before + 1);
    session.sayToSender(lacks(1, 1'001, {0, 1}));  // and no fault is reported to it
    EXPECT_TRUE(session.source->sent.empty());
}

TEST(GroupFaults, WhoNeverJoinedKnowsNotTheNextKey) {
    const auto hub = std::make_shared<GroupHub>(options(false, true));
    const GroupKeyMessage first = hub->key();
    auto [ours, theirs] = MemoryChannel::pair();
    auto channel = std::make_shared<GroupChannel>(ours, "a group");
    auto path = std::make_unique<GroupSourcePath>(std::make_shared<RepairPath>(), channel, hub);
    EXPECT_EQ(theirs->in->size(), 2U) << "the offer and a key";
    path.reset();
    EXPECT_NE(hub->newestKey(), first.keyId);
    EXPECT_NE(hub->key().key, first.key);
}

TEST(GroupFaults, AKeyIsToldOnceThereIsRoomForIt) {
    const auto hub = std::make_shared<GroupHub>(options(false, true));
    auto [ours, theirs] = MemoryChannel::pair();
    ours->room = 1;  // the offer
    auto channel = std::make_shared<GroupChannel>(ours, "a group");
    GroupSourcePath path(std::make_shared<RepairPath>(), channel, hub);
    EXPECT_EQ(path.poll(), Progress::Idle) << "it may sleep until there is room";
    ours->room = 1000;
    EXPECT_EQ(path.poll(), Progress::Worked);
    EXPECT_EQ(theirs->in->size(), 2U);
    EXPECT_EQ(path.poll(), Progress::Idle);
}

}  // namespace
}  // namespace verbcast::testing
