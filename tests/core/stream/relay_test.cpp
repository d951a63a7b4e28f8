// Frames in memory that another process owns: relayed in place where possible, otherwise copied.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <future>
#include <variant>

#include "core/session/greeting/session_dialler.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

class Relay : public TransportSuite {};

/// RDMA devices before Linux 6.2 reject memory that is mapped read-only.
bool isOfOldKernel(const std::string& copyReason) {
    return copyReason.ends_with("that needs Linux 6.2 and a file system that allows it");
}

TEST_P(Relay, FramesReceivedOverSharedMemoryArePassedOnAsTheyLie) {
    SenderOptions first = senderOptions({"shm", "shm://test-relay-#"}, Policy::Lossless);
    Broadcast origin(first);
    FrameReceiver middle(receiverOptions(origin));
    Broadcast relay(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(receiverOptions(relay));
    ASSERT_EQ(origin.waitForReceiver(kLimit, Event()), Status::Ok);
    ASSERT_EQ(relay.waitForReceiver(kLimit, Event()), Status::Ok);
    constexpr std::uint64_t kFrames = 100;
    TestSource source;
    auto sending = std::async(std::launch::async, [&] {
        while (source.next < kFrames) {
            ASSERT_EQ(source.send(origin), Status::Ok);
        }
        EXPECT_EQ(origin.finish("done", kLimit, Event()), Status::Ok);
    });
    auto relaying = std::async(std::launch::async, [&] {
        ReceivedFrame frame;
        while (middle.receive(frame, kLimit) == Status::Ok) {
            ASSERT_EQ(frame.lease.pool()->memory()->kind(), MemoryKind::Peer);
            const auto format = frame.format;
            ASSERT_EQ(relay.submit(std::move(frame.lease), *format, frame.info, Event()), Status::Ok);
        }
        ASSERT_EQ(relay.receivers().size(), 1U);
        const std::string reason = relay.receivers()[0].copyReason;
        EXPECT_TRUE(reason.empty() || isOfOldKernel(reason)) << reason;
        EXPECT_EQ(relay.finish("relayed", kLimit, Event()), Status::Ok);
    });
    ReceivedFrame frame;
    std::uint64_t count = 0;
    while (viewer.receive(frame, kLimit) == Status::Ok) {
        ASSERT_EQ(frame.info.sequence, count);
        ASSERT_EQ(frame.info.pts, static_cast<std::int64_t>(count));
        ASSERT_TRUE(isWhole(frame));
        ++count;
    }
    sending.get();
    relaying.get();
    EXPECT_EQ(count, kFrames);
    EXPECT_EQ(viewer.status().senderReason, "relayed");
    if (GetParam() == "shm") {
        EXPECT_EQ(relay.stats().bytesCopied, 0U);
    }
}

VERBCAST_OVER_TRANSPORTS(Relay, transportsForCrowds());

class MappedFile {
  public:
    MappedFile(std::uint32_t slots, std::uint64_t bytes)
        : slotBytes(slotBytesFor(bytes)), file_(::memfd_create("frames", MFD_CLOEXEC)) {
        std::vector<std::byte> slot(slotBytes);
        for (std::uint32_t number = 0; number < slots; ++number) {
            TestSource::fill(slot.data(), bytes, number);
            EXPECT_EQ(::write(file_.get(), slot.data(), slotBytes), static_cast<ssize_t>(slotBytes));
        }
        pool = FramePool::mapFile(file_.get(), 0, slotBytes, slots);
    }
    const std::uint64_t slotBytes;
    std::shared_ptr<FramePool> pool;

  private:
    UniqueFd file_;
};

/// Frames in a file's memory: shm cannot pass them to another process.
class CopiedRelay : public ::testing::TestWithParam<Policy> {};

TEST_P(CopiedRelay, FramesThatCannotLeaveAsTheyLieAreCopiedAndNoneIsLost) {
    Broadcast sender(senderOptions({"shm", "shm://test-copies-#"}, GetParam()));
    FrameReceiver viewer(receiverOptions(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    const VideoFormat format = tightFormat(160, 120, PixelFormat::rgba);
    const MappedFile file(3, format.payloadBytes);
    ASSERT_TRUE(file.pool);
    constexpr std::uint64_t kFrames = 30;
    std::atomic<std::uint64_t> received{0};
    auto sending = std::async(std::launch::async, [&] {
        for (std::uint64_t i = 0; i < kFrames; ++i) {
            const auto slot = static_cast<std::uint32_t>(i % 3);
            file.pool->slots().takeFree([](std::uint32_t) {});  // slots that were returned
            auto lease = file.pool->adopt(slot);
            ASSERT_TRUE(lease) << "a copied frame's slot is free at once";
            FrameInfo info;
            info.pts = slot;
            ASSERT_EQ(sender.submit(std::move(*lease), format, info, Event()), Status::Ok);
            if (GetParam() == Policy::Latest) {
                ASSERT_TRUE(eventually([&] { return received == i + 1; }));
            }
        }
        EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    });
    if (GetParam() == Policy::Lossless) {
        std::this_thread::sleep_for(100ms);  // until copies fill all slots
    }
    ReceivedFrame frame;
    std::uint64_t count = 0;
    while (viewer.receive(frame, kLimit) == Status::Ok) {
        ASSERT_EQ(frame.info.sequence, count);
        ASSERT_TRUE(isWhole(frame));
        frame = {};
        received = ++count;
    }
    sending.get();
    EXPECT_EQ(count, kFrames);
    EXPECT_EQ(viewer.stats().framesLost, 0U);
    EXPECT_EQ(sender.stats().framesDropped, 0U);
    EXPECT_EQ(sender.stats().bytesCopied, kFrames * format.payloadBytes);
}

TEST(CopiedFrames, OfAViewerThatLeftGoToOneThatNeedsNoCopies) {
    SenderOptions options = senderOptions({"tcp", "127.0.0.1:0"}, Policy::Lossless);
    Broadcast sender(options);
    const auto addressOver = [&](const std::string& scheme) {
        for (const std::string& address : sender.listenAddresses()) {
            if (address.starts_with(scheme)) {
                return address;
            }
        }
        ADD_FAILURE() << "it does not listen over " << scheme;
        return std::string();
    };
    const VideoFormat format = tightFormat(160, 120, PixelFormat::rgba);
    const MappedFile file(8, format.payloadBytes);
    std::uint64_t next = 0;
    const auto send = [&] {
        const auto slot = static_cast<std::uint32_t>(next % 8);
        file.pool->slots().takeFree([](std::uint32_t) {});
        auto lease = file.pool->adopt(slot);
        ASSERT_TRUE(lease);
        FrameInfo info;
        info.pts = slot;
        ASSERT_EQ(sender.submit(std::move(*lease), format, info, Event()), Status::Ok);
        ++next;
    };
    {
        // This peer greets and does nothing more: frames sent to it would be its own and lost.
        const Event never;
        SessionDialler dialler(parseUrl(addressOver("shm")), {}, {.role = Role::Receiver, .name = "first"});
        const auto first = dialler.meet(never);
        ASSERT_TRUE(std::holds_alternative<PeerConnection>(first));
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        send();
        send();
        ASSERT_EQ(sender.stats().bytesCopied, 2 * format.payloadBytes);
    }
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 0; }));
    FrameReceiver second(receiverOptions(addressOver("tcp")));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    for (std::uint64_t count = 0; count < 6; ++count) {
        if (count >= 2) {
            send();
        }
        ReceivedFrame frame;
        ASSERT_EQ(second.receive(frame, kLimit), Status::Ok) << second.status().text;
        EXPECT_EQ(frame.info.sequence, count);
        EXPECT_TRUE(isWhole(frame));
    }
    EXPECT_TRUE(eventually([&] { return sender.stats().bytesCopied == (2 + 6) * format.payloadBytes; }))
        << "two by us, six by tcp; copied " << sender.stats().bytesCopied;
}

INSTANTIATE_TEST_SUITE_P(With, CopiedRelay, ::testing::Values(Policy::Lossless, Policy::Latest),
                         [](const auto& tested) {
                             return tested.param == Policy::Latest ? "latest" : "lossless";
                         });

}  // namespace
}  // namespace verbcast::testing
