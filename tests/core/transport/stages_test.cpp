// A stage that changes nothing is not there: every call and every event goes through it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "core/transport/stages.h"

namespace verbcast::testing {
namespace {

/// What was called, in order. Everything pure in the seam is noted here: a call that is new must be, too.
struct Calls {
    template <typename Result>
    Result note(const char* call, Result result) const {
        names.emplace_back(call);
        return result;
    }
    void note(const char* call) const { names.emplace_back(call); }

    mutable std::vector<std::string> names;
};

class NotingPath final : public FramePath, public Calls {
  public:
    void setHandler(FrameHandler* given) override { handler = given; }
    int waitDescriptor() const override { return note("waitDescriptor", 7); }
    Progress poll() override { return note("poll", Progress::Worked); }
    bool readyToSleep() override { return note("readyToSleep", false); }
    void slept(bool readable) override { note(readable ? "slept" : "another"); }
    bool sharesMemory() const override { return note("sharesMemory", true); }
    bool sinkPlaces(std::uint16_t) const override { return note("sinkPlaces", true); }
    void peerUsesDevice(const std::string& sharingId) override { note(sharingId.c_str()); }
    void useDevice(const std::shared_ptr<const DeviceAllocator>&) override { note("useDevice"); }
    std::optional<Import> reaches(const Memory&) const override {
        return note("reaches", std::optional<Import>());
    }
    Import import(const std::shared_ptr<const Memory>&) override {
        return note("import", Import::needsCopy("a test"));
    }
    void prepare(const std::shared_ptr<FramePool>&) override { note("prepare"); }
    void offer(RingId ring, std::shared_ptr<FramePool>) override { note(ring == 1 ? "offer" : "another"); }
    void retire(RingId ring) override { note(ring == 2 ? "retire" : "another"); }
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte> offer) override {
        return note(ring == 3 && shape.slotCount == 4 && offer.size() == 5 ? "accept" : "another", pool);
    }
    void forget(RingId ring) override { note(ring == 6 ? "forget" : "another"); }
    std::uint64_t ownRingBytes(const RingShape& shape) const override {
        return note("ownRingBytes", shape.slotBytes);
    }
    UniqueFd takeDeathSocket(RingId ring) override {
        note(ring == 7 ? "takeDeathSocket" : "another");
        return std::move(deathSocket);
    }
    Status send(const OutgoingFrame& frame) override {
        return note(frame.ring == 8 ? "send" : "another", Status::Busy);
    }
    std::uint64_t payloadBytesMoved() const override { return note("payloadBytesMoved", 9U); }
    std::uint64_t payloadBytesCopied() const override { return note("payloadBytesCopied", 10U); }
    CipherWork cipherWork() const override { return note("cipherWork", CipherWork{.bytes = 11}); }
    bool reachesMany() const override { return note("reachesMany", true); }
    bool waitsForOthers() const override { return note("waitsForOthers", true); }
    GroupStats groupStats() const override { return note("groupStats", GroupStats{.frames = 12}); }

    FrameHandler* handler = nullptr;
    std::shared_ptr<FramePool> pool = FramePool::create({.slotBytes = 4096, .slotCount = 1});
    UniqueFd deathSocket;
};

struct NotingFrameHandler final : FrameHandler, Calls {
    void onOfferReady(RingId, std::span<const std::byte>) override { note("onOfferReady"); }
    void onOfferRefused(RingId, const std::string& reason) override { note(reason.c_str()); }
    FrameTarget beginFrame(RingId, std::uint32_t slot, const FrameInfo&) override {
        return note("beginFrame", FrameTarget{nullptr, slot});
    }
    void onFrame(RingId, std::uint32_t, const FrameInfo&) override { note("onFrame"); }
    void onFrameLost(RingId, const FrameInfo&) override { note("onFrameLost"); }
    void onFrameGivenUp() override { note("onFrameGivenUp"); }
    void onFrameSent(std::uint32_t slot) override { note(slot == 2 ? "onFrameSent" : "another"); }
};

TEST(PathStageTest, EveryCallGoesThrough) {
    const auto inside = std::make_shared<NotingPath>();
    PathStage stage(inside);
    FramePath& path = stage;
    inside->deathSocket = UniqueFd(::dup(STDERR_FILENO));
    const int deathSocket = inside->deathSocket.get();
    const std::vector<std::byte> offer(5);
    OutgoingFrame frame;
    frame.ring = 8;
    EXPECT_EQ(path.waitDescriptor(), 7);
    EXPECT_EQ(path.poll(), Progress::Worked);
    EXPECT_FALSE(path.readyToSleep());
    path.slept(true);
    EXPECT_TRUE(path.sharesMemory());
    EXPECT_TRUE(path.sinkPlaces(0));
    path.peerUsesDevice("peerUsesDevice");
    path.useDevice(nullptr);
    EXPECT_FALSE(path.reaches(*inside->pool->memory()));
    EXPECT_EQ(path.import(inside->pool->memory()).reason, "a test");
    path.prepare(inside->pool);
    path.offer(1, inside->pool);
    path.retire(2);
    EXPECT_EQ(path.accept(3, {4096, 4}, offer), inside->pool);
    path.forget(6);
    EXPECT_EQ(path.ownRingBytes({4096, 4}), 4096U);
    EXPECT_EQ(path.takeDeathSocket(7).get(), deathSocket);
    EXPECT_EQ(path.send(frame), Status::Busy);
    EXPECT_EQ(path.payloadBytesMoved(), 9U);
    EXPECT_EQ(path.payloadBytesCopied(), 10U);
    EXPECT_EQ(path.cipherWork().bytes, 11U);
    EXPECT_TRUE(path.reachesMany());
    EXPECT_TRUE(path.waitsForOthers());
    EXPECT_EQ(path.groupStats().frames, 12U);
    EXPECT_EQ(inside->names, (std::vector<std::string>{"waitDescriptor",
                                                       "poll",
                                                       "readyToSleep",
                                                       "slept",
                                                       "sharesMemory",
                                                       "sinkPlaces",
                                                       "peerUsesDevice",
                                                       "useDevice",
                                                       "reaches",
                                                       "import",
                                                       "prepare",
                                                       "offer",
                                                       "retire",
                                                       "accept",
                                                       "forget",
                                                       "ownRingBytes",
                                                       "takeDeathSocket",
                                                       "send",
                                                       "payloadBytesMoved",
                                                       "payloadBytesCopied",
                                                       "cipherWork",
                                                       "reachesMany",
                                                       "waitsForOthers",
                                                       "groupStats"}));
}

TEST(PathStageTest, EveryEventGoesThroughUntilTheStageIsGone) {
    const auto inside = std::make_shared<NotingPath>();
    NotingFrameHandler handler;
    {
        PathStage stage(inside);
        stage.setHandler(&handler);
        ASSERT_NE(inside->handler, nullptr);
        inside->handler->onOfferReady(1, {});
        inside->handler->onOfferRefused(1, "onOfferRefused");
        EXPECT_EQ(inside->handler->beginFrame(1, 3, {}).slot, 3U);
        inside->handler->onFrame(1, 3, {});
        inside->handler->onFrameLost(1, {});
        inside->handler->onFrameGivenUp();
        inside->handler->onFrameSent(2);
    }
    EXPECT_EQ(handler.names,
              (std::vector<std::string>{"onOfferReady", "onOfferRefused", "beginFrame", "onFrame",
                                        "onFrameLost", "onFrameGivenUp", "onFrameSent"}));
    EXPECT_EQ(inside->handler, nullptr);
}

class NotingChannel final : public MessageChannel, public Calls {
  public:
    const ConnectionDescription& description() const override {
        note("description");
        return said;
    }
    void setHandler(MessageHandler* given) override { handler = given; }
    int waitDescriptor() const override { return note("waitDescriptor", 7); }
    Progress process() override { return note("process", Progress::Closed); }
    bool readyToSleep() override { return note("readyToSleep", false); }
    void slept(bool readable) override { note(readable ? "slept" : "another"); }
    bool spinHelps() const override { return note("spinHelps", false); }
    std::uint64_t bytesReceived() const override { return note("bytesReceived", 8U); }
    Status send(std::span<const std::byte> message) override {
        return note(message.size() == 9 ? "send" : "another", Status::Busy);
    }
    bool hasRoomToSpare() const override { return note("hasRoomToSpare", true); }
    void close() override { note("close"); }
    void giveUpPeer() override { note("giveUpPeer"); }
    const std::string& closeReason() const override {
        note("closeReason");
        return said.detail;
    }
    SharedRing* sharedRing() override { return note("sharedRing", ring); }

    ConnectionDescription said{"test", "here", "there", PeerPlace::ThisUser, "said"};
    MessageHandler* handler = nullptr;
    SharedRing* const ring = reinterpret_cast<SharedRing*>(this);  // nobody looks inside
};

struct NotingMessageHandler final : MessageHandler, Calls {
    void onMessage(std::span<const std::byte>) override { note("onMessage"); }
};

TEST(ChannelStageTest, EveryCallAndEveryMessageGoesThroughUntilTheStageIsGone) {
    const auto inside = std::make_shared<NotingChannel>();
    const std::vector<std::byte> message(9);
    NotingMessageHandler handler;
    {
        ChannelStage stage(inside);
        MessageChannel& channel = stage;
        EXPECT_EQ(&channel.description(), &inside->said);
        EXPECT_EQ(channel.waitDescriptor(), 7);
        EXPECT_EQ(channel.process(), Progress::Closed);
        EXPECT_FALSE(channel.readyToSleep());
        channel.slept(true);
        EXPECT_FALSE(channel.spinHelps());
        EXPECT_EQ(channel.bytesReceived(), 8U);
        EXPECT_EQ(channel.send(message), Status::Busy);
        EXPECT_TRUE(channel.hasRoomToSpare());
        channel.close();
        channel.giveUpPeer();
        EXPECT_EQ(channel.closeReason(), "said");
        EXPECT_EQ(channel.sharedRing(), inside->ring);
        inside->handler->onMessage(message);
        EXPECT_TRUE(handler.names.empty());
        channel.setHandler(&handler);
        inside->handler->onMessage(message);
    }
    EXPECT_EQ(inside->names,
              (std::vector<std::string>{"description", "waitDescriptor", "process", "readyToSleep", "slept",
                                        "spinHelps", "bytesReceived", "send", "hasRoomToSpare", "close",
                                        "giveUpPeer", "closeReason", "sharedRing"}));
    EXPECT_EQ(handler.names, std::vector<std::string>{"onMessage"});
    EXPECT_EQ(inside->handler, nullptr);
}

}  // namespace
}  // namespace verbcast::testing
