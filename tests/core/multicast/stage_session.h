// Both stages of a group against each other, over loopback and in-memory channels.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <random>
#include <thread>

#include "core/base/os/event.h"
#include "core/multicast/group_sink_path.h"
#include "core/multicast/group_source_path.h"
#include "core/transport/frame_path.h"
#include "core/transport/multicast/group_socket.h"
#include "tests/core/session/fake_path.h"
#include "tests/core/session/memory_channel.h"
#include "tests/support/patience.h"

namespace verbcast::testing {

inline constexpr std::uint64_t kBytes = 300'000;  // per frame: several datagrams, even on loopback
inline constexpr RingId kStageRing = 1;

/// A loopback group that no other test uses.
inline multicast::GroupAddress anyGroup() {
    std::random_device random;
    return multicast::parseGroup(fmt::format("239.{}.{}.{}:{}%lo", 1 + random() % 250, random() % 250,
                                             1 + random() % 250, 20'000 + random() % 20'000));
}

inline GroupOptions options(bool lossless = false, bool tagged = false) {
    GroupOptions options;
    options.address = anyGroup();
    options.lossless = lossless;
    options.tagged = tagged;
    options.name = "test";
    return options;
}

/// The connection's own path: writes into the slots of `peer` when it is polled.
class RepairPath final : public TransportPath {
  public:
    void setHandler(FrameHandler* handler) override { handler_ = handler; }
    std::optional<Import> reaches(const Memory&) const override { return Import{}; }
    void prepare(const std::shared_ptr<FramePool>&) override {}
    void offer(RingId, std::shared_ptr<FramePool>) override {}
    void retire(RingId) override {}
    std::shared_ptr<FramePool> accept(RingId, const RingShape&, std::span<const std::byte>) override {
        return nullptr;
    }
    void forget(RingId ring) override { forgotten.push_back(ring); }
    Status send(const OutgoingFrame& frame) override {
        if (busy > 0) {
            --busy;
            return Status::Busy;
        }
        if (std::ranges::find(forgotten, frame.ring) != forgotten.end()) {
            throw Error(ErrorKind::Internal, "a frame is sent into a ring that was given up");
        }
        sent.push_back(frame);
        moving_.push_back({frame, {frame.blocks.begin(), frame.blocks.end()}});
        return Status::Ok;
    }
    Progress poll() override {
        if (held || moving_.empty()) {
            return Progress::Idle;
        }
        const Moving moving = std::move(moving_.front());
        moving_.pop_front();
        const OutgoingFrame& frame = moving.frame;
        const FrameTarget target = peer->handler_->beginFrame(frame.ring, frame.remoteSlot, frame.info);
        for (const ByteBlock& block : moving.blocks) {
            std::memcpy(target.pool->slotData(target.slot) + block.offset,
                        frame.pool->slotData(frame.localSlot) + block.offset, block.rowBytes);
        }
        peer->handler_->onFrame(frame.ring, frame.remoteSlot, frame.info);
        handler_->onFrameSent(frame.localSlot);
        return Progress::Worked;
    }
    std::uint64_t payloadBytesMoved() const override { return moved; }

    RepairPath* peer = nullptr;
    std::vector<OutgoingFrame> sent;
    std::vector<RingId> forgotten;
    bool held = false;  // nothing moves
    int busy = 0;       // so often
    std::uint64_t moved = 0;

  private:
    struct Moving {
        OutgoingFrame frame;
        std::vector<ByteBlock> blocks;
    };
    FrameHandler* handler_ = nullptr;
    std::deque<Moving> moving_;
};

/// Sends by UDP until the test does otherwise.
class LosingPort final : public multicast::GroupPort {
  public:
    /// What becomes of datagrams. Yes: all leave; Lost: the network refuses them.
    struct Fate {
        std::atomic<Sent> sent{Sent::Yes};
        std::atomic<bool> arrives{true};
        std::atomic<int> lost{0};  ///< bursts
    };
    LosingPort(const multicast::GroupAddress& group, Fate& fate)
        : inner_(group, multicast::interfaceOf(group), 1), fate_(fate) {}
    std::string describe() const override { return "a port that loses"; }
    multicast::GroupOrigin origin() const override { return inner_.origin(); }
    std::size_t datagramBytes() const override { return inner_.datagramBytes(); }
    std::size_t overheadBytes() const override { return inner_.overheadBytes(); }
    std::size_t burstBytes() const override { return inner_.burstBytes(); }
    std::uint64_t bitRate() const override { return inner_.bitRate(); }
    Sent send(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes) override {
        if (fate_.sent == Sent::Yes && fate_.arrives) {
            return inner_.send(pieces, datagramBytes, bytes);
        }
        ++fate_.lost;
        return fate_.sent;
    }
    std::string whyLost() const override { return "the network is down"; }
    int roomDescriptor() const override { return inner_.roomDescriptor(); }

  private:
    multicast::GroupSender inner_;
    Fate& fate_;
};

/// A hub that sends by such a port.
inline std::shared_ptr<GroupHub> losingHub(LosingPort::Fate& fate, const GroupOptions& given = options()) {
    return std::make_shared<GroupHub>(given, std::make_unique<LosingPort>(given.address, fate),
                                      GroupPace(0, 0));
}

struct Handler : FrameHandler, MessageHandler {
    void onOfferReady(RingId, std::span<const std::byte>) override {}
    FrameTarget beginFrame(RingId, std::uint32_t slot, const FrameInfo&) override { return {pool, slot}; }
    void onFrame(RingId, std::uint32_t slot, const FrameInfo& info) override {
        arrived.push_back(info);
        slots.push_back(slot);
    }
    void onFrameLost(RingId, const FrameInfo& info) override { lost.push_back(info); }
    void onFrameGivenUp() override { ++givenUp; }
    void onFrameSent(std::uint32_t localSlot) override { sent.push_back(localSlot); }
    void onMessage(std::span<const std::byte>) override { ++messages; }

    std::shared_ptr<FramePool> pool;
    std::vector<FrameInfo> arrived, lost;
    std::vector<std::uint32_t> slots, sent;
    int messages = 0, givenUp = 0;
};

/// A sender's and a viewer's end of a session, whose messages the tests move.
class Session {
  public:
    /// With `openRdma` the viewer can also receive from an RDMA network.
    explicit Session(const std::shared_ptr<GroupHub>& hub, Protection protection = Protection::None,
                     const multicast::GroupAddress* viewed = nullptr,
                     const GroupSinkPath::OpenRdma& openRdma = nullptr)
        : source(std::make_shared<RepairPath>()), sink(std::make_shared<RepairPath>()) {
        source->peer = sink.get();
        auto [one, other] = MemoryChannel::pair();
        ours = one;
        theirs = other;
        sending = std::make_shared<GroupChannel>(one, "a group");
        viewing = std::make_shared<GroupChannel>(other, "a group");
        sending->setHandler(&sender);
        viewing->setHandler(&viewer);
        in = std::make_unique<GroupSinkPath>(sink, viewing, viewed ? *viewed : hub->options().address,
                                             protection, openRdma);
        out = std::make_unique<GroupSourcePath>(source, sending, hub, openRdma != nullptr);
        in->setHandler(&viewer);
        out->setHandler(&sender);
        viewer.pool = pool(4, kBytes);
        in->offer(kStageRing, viewer.pool);
        viewer.pool->slots().takeFree([](std::uint32_t) {});
        static_cast<void>(out->accept(kStageRing, {viewer.pool->slotBytes(), 4}, {}));
        static_cast<void>(viewing->send(encodeMessage(Accept{kMainTrack, 1, kStageRing, true, 0})));
    }
    /// Processes everything that is pending, once.
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
    /// Sends it as the peer would.
    template <typename Message>
    void sayToSender(const Message& message) {
        static_cast<void>(theirs->send(encodeMessage(message)));
        while (sending->process() == Progress::Worked) {
        }
    }

    std::shared_ptr<MemoryChannel> ours, theirs;
    Handler sender, viewer;
    std::shared_ptr<RepairPath> source, sink;
    std::shared_ptr<GroupChannel> sending, viewing;
    std::unique_ptr<GroupSinkPath> in;
    std::unique_ptr<GroupSourcePath> out;
};

/// Waits within the tests' time limit, while other threads work.
template <typename Done>
bool happens(Done&& done) {
    const Deadline end = Deadline::in(kPatience);
    while (!done() && !end.passed()) {
        std::this_thread::yield();
    }
    return done();
}

inline std::shared_ptr<FramePool> noise() {
    auto made = pool(4, kBytes);
    std::mt19937 random(3);
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
        for (std::uint64_t at = 0; at < kBytes; ++at) {
            made->slotData(slot)[at] = static_cast<std::byte>(random());
        }
    }
    return made;
}

}  // namespace verbcast::testing
