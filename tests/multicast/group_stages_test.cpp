// The two stages against each other over loopback, and against peers that break the rules.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <random>

#include "core/base/wait_for.h"
#include "core/session/group/group_sink_path.h"
#include "core/session/group/group_source_path.h"
#include "tests/session/fake_path.h"
#include "tests/session/memory_channel.h"
#include "tests/support/patience.h"

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kBytes = 300'000;  // of a frame: some datagrams, on loopback too
constexpr RingId kStageRing = 1;

/// A group of loopback that no other test uses.
multicast::GroupAddress anyGroup() {
    std::random_device random;
    return multicast::parseGroup(fmt::format("239.{}.{}.{}:{}%lo", 1 + random() % 250, random() % 250,
                                             1 + random() % 250, 20'000 + random() % 20'000));
}

GroupOptions options(bool lossless = false, bool tagged = false) {
    GroupOptions options;
    options.address = anyGroup();
    options.lossless = lossless;
    options.tagged = tagged;
    options.name = "test";
    return options;
}

struct Handler : FrameHandler, MessageHandler {
    void onOfferReady(RingId, std::span<const std::byte>) override {}
    FrameTarget beginFrame(RingId, std::uint32_t slot, const FrameInfo&) override { return {pool, slot}; }
    void onFrame(RingId, std::uint32_t slot, const FrameInfo& info) override {
        arrived.push_back(info);
        slots.push_back(slot);
    }
    void onFrameLost(RingId, const FrameInfo& info) override { lost.push_back(info); }
    void onFrameSent(std::uint32_t localSlot) override { sent.push_back(localSlot); }
    void onMessage(std::span<const std::byte>) override { ++messages; }

    std::shared_ptr<FramePool> pool;
    std::vector<FrameInfo> arrived, lost;
    std::vector<std::uint32_t> slots, sent;
    int messages = 0;
};

/// A sender's and a viewer's end of a session, of which tests move the messages.
class Session {
  public:
    explicit Session(const std::shared_ptr<GroupHub>& hub, Protection protection = Protection::None,
                     const multicast::GroupAddress* viewed = nullptr)
        : source(std::make_shared<FakePath>(false)), sink(std::make_shared<FakePath>(false)) {
        auto [one, other] = MemoryChannel::pair();
        ours = one;
        theirs = other;
        sending = std::make_shared<GroupChannel>(one, "a group");
        viewing = std::make_shared<GroupChannel>(other, "a group");
        sending->setHandler(&sender);
        viewing->setHandler(&viewer);
        in = std::make_unique<GroupSinkPath>(sink, viewing, viewed ? *viewed : hub->options().address,
                                             protection);
        out = std::make_unique<GroupSourcePath>(source, sending, hub);
        in->setHandler(&viewer);
        out->setHandler(&sender);
        viewer.pool = pool(4, kBytes);
        in->offer(kStageRing, viewer.pool);
        viewer.pool->slots().takeFree([](std::uint32_t) {});
        static_cast<void>(out->accept(kStageRing, {viewer.pool->slotBytes(), 4}, {}));
        static_cast<void>(viewing->send(encodeMessage(Accept{kMainTrack, 1, kStageRing, true, 0})));
    }
    /// All that waits, once.
    void turn() {
        while (sending->process() == Progress::Worked || viewing->process() == Progress::Worked) {
        }
        out->poll();
        in->poll();
    }
    template <typename Done>
    ::testing::AssertionResult until(Done&& done) {
        const Deadline end = Deadline::in(kPatience);
        while (!done()) {
            turn();
            if (end.passed()) {
                return ::testing::AssertionFailure() << "it did not happen";
            }
            waitReadable({in->waitDescriptor(), out->waitDescriptor()}, std::chrono::milliseconds(1));
        }
        return ::testing::AssertionSuccess();
    }
    OutgoingFrame frame(const std::shared_ptr<FramePool>& from, std::uint32_t slot, std::uint64_t sequence) {
        OutgoingFrame frame;
        frame.pool = from;
        frame.localSlot = slot;
        frame.ring = kStageRing;
        frame.info.sequence = sequence;
        frame.info.payloadBytes = kBytes;
        return frame;
    }
    /// As the peer would.
    template <typename Message>
    void sayToSender(const Message& message) {
        static_cast<void>(theirs->send(encodeMessage(message)));
        while (sending->process() == Progress::Worked) {
        }
    }

    std::shared_ptr<MemoryChannel> ours, theirs;
    Handler sender, viewer;
    std::shared_ptr<FakePath> source, sink;
    std::shared_ptr<GroupChannel> sending, viewing;
    std::unique_ptr<GroupSinkPath> in;
    std::unique_ptr<GroupSourcePath> out;
};

std::shared_ptr<FramePool> noise() {
    auto made = pool(4, kBytes);
    std::mt19937 random(3);
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
        for (std::uint64_t at = 0; at < kBytes; ++at) {
            made->slotData(slot)[at] = static_cast<std::byte>(random());
        }
    }
    return made;
}

class GroupStagesTags : public ::testing::TestWithParam<bool> {};

TEST_P(GroupStagesTags, FramesComeByTheGroupAndAreCountedOnce) {
    const auto hub = std::make_shared<GroupHub>(options(false, GetParam()));
    Session one(hub), other(hub);
    one.turn();
    other.turn();  // both listen
    const auto frames = noise();
    ASSERT_TRUE(one.until([&] { return one.out->send(one.frame(frames, 2, 7)) == Status::Ok; }));
    ASSERT_TRUE(other.until([&] { return other.out->send(other.frame(frames, 2, 7)) == Status::Ok; }));
    for (Session* session : {&one, &other}) {
        ASSERT_TRUE(session->until([&] { return !session->viewer.arrived.empty(); }));
        EXPECT_EQ(session->viewer.arrived[0].sequence, 7U);
        EXPECT_EQ(std::memcmp(session->viewer.pool->slotData(session->viewer.slots[0]), frames->slotData(2),
                              kBytes),
                  0);
        ASSERT_TRUE(session->until([&] { return !session->sender.sent.empty(); }));
        EXPECT_EQ(session->sender.sent[0], 2U);
        EXPECT_TRUE(session->source->sent.empty()) << "nothing went over its own connection";
    }
    EXPECT_EQ(hub->stats().bytes, kBytes) << "it was sent once";
    EXPECT_EQ(one.out->payloadBytesMoved() + other.out->payloadBytesMoved(), kBytes);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutTags, GroupStagesTags, ::testing::Bool());

TEST(GroupStages, ForgedDatagramsChangeNothing) {
    const auto hub = std::make_shared<GroupHub>(options(false, true));
    Session session(hub);
    const auto frames = noise();
    ASSERT_TRUE(session.until([&] { return session.out->send(session.frame(frames, 0, 1)) == Status::Ok; }));
    ASSERT_TRUE(session.until([&] { return session.viewer.arrived.size() == 1; }));
    // Somebody else of the same host, who has seen the stream's number, fills the next frame.
    const multicast::GroupAddress& group = hub->options().address;
    multicast::GroupSender forger(group, multicast::interfaceOf(group), 1);
    const std::uint32_t chunkBytes = hub->offer().chunkBytes;
    multicast::DatagramHead head;
    head.keyId = 1;
    head.stream = hub->offer().stream;
    head.counter = 1'000;
    head.frame = 2;
    head.chunks = multicast::chunksOf(kBytes, chunkBytes);
    std::vector<std::byte> forged(multicast::kHeadBytes + chunkBytes + multicast::kTagBytes, std::byte{0xee});
    std::memcpy(forged.data(), &head, sizeof head);
    EXPECT_EQ(forger.sendOne(forged), multicast::GroupSender::Sent::Yes);
    ASSERT_TRUE(session.until([&] { return session.in->groupStats().refused == 1; }));
    ASSERT_EQ(session.out->send(session.frame(frames, 1, 2)), Status::Ok);
    ASSERT_TRUE(session.until([&] { return session.viewer.arrived.size() == 2; }));
    EXPECT_EQ(
        std::memcmp(session.viewer.pool->slotData(session.viewer.slots[1]), frames->slotData(1), kBytes), 0);
}

TEST(GroupStages, ChunksThatSeveralLackAreSentAgainOnce) {
    const auto hub = std::make_shared<GroupHub>(options());
    const GroupHub::Viewer first = hub->join(0), second = hub->join(0), third = hub->join(0);
    const auto frames = noise();
    OutgoingFrame frame;
    frame.pool = frames;
    frame.info.payloadBytes = kBytes;
    const std::uint64_t number = hub->submit(first, frame).number;
    EXPECT_EQ(hub->submit(second, frame).number, number);
    EXPECT_FALSE(hub->submit(third, frame).leaves);
    const Deadline end = Deadline::in(kPatience);
    const std::uint32_t chunks = multicast::chunksOf(kBytes, hub->offer().chunkBytes);
    while (hub->stats().datagrams < chunks && !end.passed()) {
        std::this_thread::yield();
    }
    ASSERT_EQ(hub->stats().datagrams, chunks);
    using AskedRanges = std::vector<multicast::ChunkRange>;
    const AskedRanges asked{{1, 2}};
    EXPECT_EQ(hub->repair(first, number, asked).alone, asked) << "written to the first alone";
    EXPECT_EQ(hub->repair(second, number, asked).alone, AskedRanges{}) << "by the group for the second";
    EXPECT_EQ(hub->repair(third, number, asked).alone, AskedRanges{}) << "which the third hears, too";
    while (hub->stats().repeatedBytes == 0 && !end.passed()) {
        std::this_thread::yield();
    }
    EXPECT_EQ(hub->stats().datagrams, chunks + 2);
    EXPECT_EQ(hub->repair(third, number, asked).alone, asked) << "who lost that as well is written to";
    EXPECT_EQ(hub->repair(99, number, asked).alone, AskedRanges{}) << "nobody";
}

TEST(GroupStages, AFrameOfThePastIsForOneViewerAlone) {
    const auto hub = std::make_shared<GroupHub>(options());
    const GroupHub::Viewer first = hub->join(0), late = hub->join(0);
    const auto frames = noise();
    OutgoingFrame frame;
    frame.pool = frames;
    frame.info.payloadBytes = kBytes;
    frame.info.sequence = 5;
    const std::uint64_t number = hub->submit(first, frame).number;
    hub->release(first, number, 0);
    const auto again = hub->submit(late, frame);
    EXPECT_NE(again.number, number);
    EXPECT_FALSE(again.leaves) << "the others do not pay for who is late";
}

TEST(GroupStages, RefusesAViewerThatBreaksTheRules) {
    const auto hub = std::make_shared<GroupHub>(options());
    Session session(hub);
    ASSERT_TRUE(session.until([&] { return session.out->send(session.frame(noise(), 0, 1)) == Status::Ok; }));
    const auto missing = [](std::uint64_t frame, std::uint64_t request, RingId ring, std::uint16_t slot,
                            multicast::ChunkRange range) {
        GroupMissing message{frame, request, ring, slot, {}};
        message.ranges.push(range);
        return message;
    };
    EXPECT_THROW(session.sayToSender(GroupJoined{}), Error) << "twice";
    EXPECT_THROW(session.sayToSender(missing(9, 1, kStageRing, 0, {0, 1})), Error)
        << "a frame that was not sent";
    EXPECT_THROW(session.sayToSender(missing(0, 1, kStageRing, 0, {0, 1})), Error);
    EXPECT_THROW(session.sayToSender(missing(1, 1, kStageRing + 1, 0, {0, 1})), Error) << "another ring";
    EXPECT_THROW(session.sayToSender(missing(1, 1, kStageRing, 4, {0, 1})), Error)
        << "a slot beyond the ring";
    EXPECT_THROW(session.sayToSender(missing(1, 1, kStageRing, 0, {0, 0})), Error) << "nothing";
    EXPECT_THROW(session.sayToSender(missing(1, 1, kStageRing, 0, {0, 0xffff'ffff})), Error)
        << "beyond the frame";
    EXPECT_THROW(session.sayToSender(GroupMissing{1, 1, kStageRing, 0, {}}), Error) << "no range";
    EXPECT_THROW(session.sayToSender(GroupDone{9, false}), Error);
    session.sayToSender(missing(1, 5, kStageRing, 0, {0, 1}));
    EXPECT_THROW(session.sayToSender(missing(1, 5, kStageRing, 0, {0, 1})), Error)
        << "the same request again";
    session.sayToSender(GroupDone{1, false});
    EXPECT_THROW(session.sayToSender(GroupDone{1, false}), Error) << "done twice";
}

TEST(GroupStages, OneViewersRepairsAreBounded) {
    GroupOptions slow = options();
    slow.bitRate = 8'000'000;  // a megabyte in a second: half of that for repairs
    const auto hub = std::make_shared<GroupHub>(slow);
    Session session(hub);
    const auto frames = noise();
    ASSERT_TRUE(session.until([&] { return session.out->send(session.frame(frames, 0, 1)) == Status::Ok; }));
    ASSERT_TRUE(session.until([&] { return hub->stats().bytes >= kBytes; }));
    const std::uint32_t chunks = multicast::chunksOf(kBytes, hub->offer().chunkBytes);
    const TimestampNs began = nowNs();
    for (std::uint64_t request = 1; request <= 50; ++request) {
        GroupMissing message{1, 1'000 + request, kStageRing, 0, {}};
        message.ranges.push({0, chunks});
        try {
            session.sayToSender(message);
        } catch (const Error&) {
            break;  // the one before it still waits: it may not ask again
        }
    }
    // Two frames at once, and what the last one takes beyond.
    const double most = 4.0 * kBytes + 0.5e6 * static_cast<double>(nowNs() - began) * 1e-9;
    EXPECT_LE(static_cast<double>(session.source->sent.size() * kBytes), most);
    EXPECT_GE(session.source->sent.size(), 2U);
}

TEST(GroupStages, AViewerSaysWhyItTakesNothing) {
    const auto hub = std::make_shared<GroupHub>(options());
    const auto says = [](Session& session, const std::string& part) {
        try {
            session.turn();
            return ::testing::AssertionFailure() << "it takes it";
        } catch (const Error& error) {
            return std::string(error.what()).find(part) != std::string::npos
                       ? ::testing::AssertionSuccess()
                       : ::testing::AssertionFailure() << error.what();
        }
    };
    Session keyed(hub, Protection::Proven);
    EXPECT_TRUE(says(keyed, "no tags"));
    const auto tagged = std::make_shared<GroupHub>(options(false, true));
    Session encrypted(tagged, Protection::Encrypted);
    EXPECT_TRUE(says(encrypted, "not encrypted"));
    const multicast::GroupAddress elsewhere = anyGroup();
    Session other(hub, Protection::None, &elsewhere);
    EXPECT_TRUE(says(other, "sends to " + hub->options().address.text()));
}

TEST(GroupStages, AGroupThatIsInUseIsRefused) {
    GroupOptions same = options();
    const auto hub = std::make_shared<GroupHub>(same);
    hub->announce(7423);
    try {
        GroupHub second(same);
        ADD_FAILURE() << "two senders share a group";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("is in use: test (127.0.0.1)"), std::string::npos)
            << error.what();
        EXPECT_FALSE(error.remedy().empty());
    }
}

TEST(GroupStages, WhoLeavesKnowsNotTheNextKey) {
    const auto hub = std::make_shared<GroupHub>(options(false, true));
    const auto first = hub->key();
    auto leaving = std::make_unique<Session>(hub);
    Session staying(hub);
    leaving->turn();
    staying.turn();
    leaving.reset();
    EXPECT_NE(hub->newestKey(), first.keyId);
    EXPECT_NE(hub->key().key, first.key);
    const auto frames = noise();
    ASSERT_TRUE(staying.until([&] { return staying.out->send(staying.frame(frames, 0, 1)) == Status::Ok; }));
    EXPECT_TRUE(staying.until([&] { return staying.viewer.arrived.size() == 1; })) << "who stays has it";
}

}  // namespace
}  // namespace verbcast::testing
