// Frames as messages: whole, in order, within what the channel has room for, and no byte beside its slot.
#include <gtest/gtest.h>

#include <cstring>

#include "core/session/message_path.h"
#include "core/session/messages/messages.h"
#include "tests/core/session/fake_path.h"
#include "tests/core/session/memory_channel.h"

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kSlot = 3 * 4096;

/// One end's handler, and what its channel brings it.
struct End : FrameHandler, MessageHandler {
    explicit End(std::shared_ptr<MemoryChannel> to) : channel(std::move(to)), path(*channel) {
        channel->setHandler(this);
        path.setHandler(this);
    }
    void onOfferReady(RingId, std::span<const std::byte>) override {}
    FrameTarget beginFrame(RingId, std::uint32_t slot, const FrameInfo&) override { return {ring, slot}; }
    void onFrame(RingId, std::uint32_t slot, const FrameInfo& info) override {
        arrived.push_back({slot, info});
    }
    void onFrameSent(std::uint32_t slot) override { sent.push_back(slot); }
    void onMessage(std::span<const std::byte> message) override {
        ByteReader reader(message);
        ASSERT_EQ(reader.get<std::uint8_t>(), static_cast<std::uint8_t>(MessageType::FramePart));
        path.take(reader);
    }

    std::shared_ptr<MemoryChannel> channel;
    MessagePath path;
    std::shared_ptr<FramePool> ring = pool(4, kSlot);
    std::vector<std::pair<std::uint32_t, FrameInfo>> arrived;
    std::vector<std::uint32_t> sent;
};

class MessagePathTest : public ::testing::Test {
  protected:
    MessagePathTest() {
        auto [one, other] = MemoryChannel::pair();
        source.emplace(one);
        sink.emplace(other);
        sink->path.offer(7, sink->ring);
        EXPECT_EQ(source->path.accept(7, {kSlot, 4}, {}), nullptr);
    }
    Status send(std::uint32_t slot, std::uint64_t bytes) {
        for (std::uint64_t i = 0; i < bytes; ++i) {
            source->ring->slotData(slot)[i] = static_cast<std::byte>(i * 31 + slot);
        }
        return source->path.send({.pool = source->ring,
                                  .localSlot = slot,
                                  .ring = 7,
                                  .remoteSlot = 3 - slot,
                                  .info = frame(slot, bytes)});
    }
    /// What a peer says instead: a part with these fields and so many bytes.
    void say(const FramePart& part, std::size_t bytes) {
        std::vector<std::byte> message(4096);
        WireWriter writer(message);
        writer(part);
        std::vector<std::byte> payload(bytes, std::byte{9});
        writer.putBytes(payload);
        ByteReader reader(writer.bytes());
        sink->path.take(reader);
    }
    static FramePart first(std::uint64_t bytes, std::uint16_t rects = 0, RingId ring = 7) {
        FramePart part{.ring = ring, .slot = 1, .offset = 0};
        FrameInfo info = frame(0, bytes);
        info.rectCount = rects;
        std::memcpy(part.head.data(), &info, part.head.size());
        return part;
    }

    std::optional<End> source, sink;
};

TEST_F(MessagePathTest, CarriesFramesOfAnyLength) {
    for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{4000}, std::uint64_t{4096}, kSlot}) {
        ASSERT_EQ(send(1, bytes), Status::Ok);
        EXPECT_EQ(source->path.poll(), Progress::Worked);
        EXPECT_EQ(source->path.poll(), Progress::Idle);
        while (sink->channel->process() == Progress::Worked) {
        }
        ASSERT_EQ(sink->arrived.size(), 1U);
        EXPECT_EQ(sink->arrived[0].first, 2U);
        EXPECT_EQ(sink->arrived[0].second.payloadBytes, bytes);
        EXPECT_EQ(std::memcmp(sink->ring->slotData(2), source->ring->slotData(1), bytes), 0);
        EXPECT_EQ(source->sent, std::vector<std::uint32_t>{1});
        sink->arrived.clear();
        source->sent.clear();
    }
}

TEST_F(MessagePathTest, LeavesRoomToMessagesThatCannotWait) {
    source->channel->room = 4;  // two parts are half of it
    ASSERT_EQ(send(0, kSlot), Status::Ok);
    EXPECT_EQ(source->channel->out->size(), 2U);
    EXPECT_EQ(send(1, 10), Status::Busy) << "one after the other";
    EXPECT_EQ(source->path.poll(), Progress::Idle);
    EXPECT_TRUE(source->sent.empty());
    while (sink->channel->process() == Progress::Worked) {
        source->path.poll();
    }
    EXPECT_EQ(source->sent, std::vector<std::uint32_t>{0});
    ASSERT_EQ(sink->arrived.size(), 1U);
    EXPECT_EQ(std::memcmp(sink->ring->slotData(3), source->ring->slotData(0), kSlot), 0);
}

TEST_F(MessagePathTest, TakesOnlyWhatContinuesTheFrame) {
    const FramePart part = first(100);
    EXPECT_THROW(say(first(100, 0, 8), 10), Error) << "a ring that was not offered";
    EXPECT_THROW(say(first(100, 1), 10), Error) << "rectangles";
    EXPECT_THROW(say(first(std::uint64_t{1} << 40U), 10), Error) << "an impossible length";
    EXPECT_THROW(say({.ring = 7, .slot = 1, .offset = 10}, 10), Error) << "no frame has begun";
    say(part, 60);
    EXPECT_THROW(say(part, 60), Error) << "begun again";
    EXPECT_THROW(say({.ring = 7, .slot = 1, .offset = 59}, 10), Error) << "not where it stopped";
    EXPECT_THROW(say({.ring = 7, .slot = 2, .offset = 60}, 10), Error) << "another slot";
    EXPECT_THROW(say({.ring = 7, .slot = 1, .offset = 60}, 41), Error) << "beyond its end";
    EXPECT_THROW(say({.ring = 7, .slot = 1, .offset = 60}, 0), Error) << "nothing";
    say({.ring = 7, .slot = 1, .offset = 60}, 40);
    EXPECT_EQ(sink->arrived.size(), 1U);
}

TEST_F(MessagePathTest, TakesNothingIntoARingThatIsGone) {
    sink->path.retire(7);
    EXPECT_THROW(say(first(100), 10), Error);
    source->path.forget(7);
    EXPECT_THROW(static_cast<void>(send(0, 10)), Error);
    EXPECT_THROW(source->path.accept(7, {kSlot, 4}, {}), Error) << "its number was used";
}

}  // namespace
}  // namespace verbcast::testing
