// Whole streams over a loopback group, in one process.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "tests/support/expectations.h"
#include "tests/support/patience.h"

namespace verbcast::testing {
namespace {

class GroupStream : public ::testing::Test {
  protected:
    void begin(Policy policy, std::uint32_t slots = 8,
               std::chrono::milliseconds stallTimeout = std::chrono::seconds(30)) {
        std::random_device random;
        group_ = fmt::format("multicast://239.{}.{}.{}:{}%lo", 1 + random() % 250, random() % 250,
                             1 + random() % 250, 20'000 + random() % 20'000);
        SenderOptions options;
        options.url = parseUrl("tcp://127.0.0.1:0");
        options.policy = policy;
        options.slots = slots;
        options.stallTimeout = stallTimeout;
        options.peerTimeout = kPatience;
        options.multicast = multicast::parseGroup(group_);
        sender_ = std::make_unique<Broadcast>(options);
    }
    std::unique_ptr<FrameReceiver> view() {
        ReceiverOptions options;
        options.url = parseUrl(group_);
        options.peerTimeout = kPatience;
        options.reconnect = false;
        return std::make_unique<FrameReceiver>(options);
    }
    /// Sends a frame that is filled with `number`.
    void send(std::uint8_t number, const VideoFormat& format) {
        if (!pool_ || pool_->slotBytes() < format.payloadBytes) {
            pool_ = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 8, .hugePages = false});
        }
        auto lease = pool_->acquire(kPatience);
        ASSERT_TRUE(lease);
        std::memset(lease->data(), number, format.payloadBytes);
        ASSERT_EQ(sender_->submit(std::move(*lease), format, {}, never_), Status::Ok);
    }
    static ::testing::AssertionResult comes(FrameReceiver& viewer, std::uint8_t number,
                                            const VideoFormat& format) {
        ReceivedFrame frame;
        if (const Status status = viewer.receive(frame, kPatience); status != Status::Ok) {
            return ::testing::AssertionFailure() << "no frame: " << static_cast<int>(status);
        }
        if (frame.info.payloadBytes != format.payloadBytes || frame.format->width != format.width) {
            return ::testing::AssertionFailure() << "frame " << +number << " is of another size";
        }
        for (std::uint64_t at = 0; at < frame.info.payloadBytes; ++at) {
            if (frame.lease.data()[at] != std::byte{number}) {
                return ::testing::AssertionFailure() << "frame " << +number << " is spoilt at " << at;
            }
        }
        return ::testing::AssertionSuccess();
    }

    std::string group_;
    Event never_;
    std::unique_ptr<Broadcast> sender_;
    std::shared_ptr<FramePool> pool_;
};

TEST_F(GroupStream, FormatsMayChange) {
    begin(Policy::Lossless);
    const auto viewer = view();
    ASSERT_EQ(sender_->waitForReceiver(kPatience, never_), Status::Ok);
    const VideoFormat small = tightFormat(64, 64, PixelFormat::rgba);
    const VideoFormat large = tightFormat(640, 480, PixelFormat::rgba);
    std::jthread sending([&] {
        std::uint8_t number = 0;
        for (const VideoFormat* format : {&small, &large, &small}) {
            for (int i = 0; i < 10; ++i) {
                send(number++, *format);
            }
        }
        EXPECT_EQ(sender_->finish("over", kPatience, never_), Status::Ok);
    });
    std::uint8_t number = 0;
    for (const VideoFormat* format : {&small, &large, &small}) {
        for (int i = 0; i < 10; ++i) {
            ASSERT_TRUE(comes(*viewer, number++, *format));
        }
    }
    ReceivedFrame none;
    EXPECT_EQ(viewer->receive(none, kPatience), Status::Closed);
    sending.join();
    const StreamStats sent = sender_->stats();
    ASSERT_TRUE(sent.group);
    EXPECT_EQ(sent.group->frames, 30U);
    EXPECT_EQ(sent.framesTransferred, 30U);
    EXPECT_EQ(sent.framesLost, 0U);
    EXPECT_EQ(viewer->stats().framesDropped, 0U);
}

TEST_F(GroupStream, AViewerOfItsOwnIsServedBesideTheGroup) {
    begin(Policy::Lossless);
    const auto byGroup = view();
    ReceiverOptions options;
    for (const std::string& address : sender_->listenAddresses()) {
        options.url = parseUrl(address);
    }
    options.peerTimeout = kPatience;
    options.reconnect = false;
    FrameReceiver byTcp(options);
    const Deadline end = Deadline::in(kPatience);
    while (sender_->receiverCount() < 2 && !end.passed()) {
        std::this_thread::yield();
    }
    const VideoFormat format = tightFormat(320, 240, PixelFormat::rgba);
    for (std::uint8_t number = 0; number < 4; ++number) {
        send(number, format);
        ASSERT_TRUE(comes(*byGroup, number, format));
        ASSERT_TRUE(comes(byTcp, number, format));
    }
    EXPECT_FALSE(byTcp.stats().group);
    EXPECT_TRUE(byGroup->stats().group);
}

TEST_F(GroupStream, OnlyWhoHasStalledIsSentAway) {
    begin(Policy::Lossless, 8, std::chrono::seconds(5));
    const auto stalled = view();  // receives nothing
    std::vector<std::unique_ptr<FrameReceiver>> healthy;
    healthy.push_back(view());
    healthy.push_back(view());
    const Deadline end = Deadline::in(kPatience);
    while (sender_->receiverCount() < 3 && !end.passed()) {
        std::this_thread::yield();
    }
    ASSERT_EQ(sender_->receiverCount(), 3U);
    constexpr std::uint8_t kFrames = 40;
    const VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    std::vector<std::jthread> viewing;
    for (const auto& viewer : healthy) {
        viewing.emplace_back([&viewer, &format] {
            for (std::uint8_t number = 0; number < kFrames; ++number) {
                ASSERT_TRUE(comes(*viewer, number, format));
            }
        });
    }
    for (std::uint8_t number = 0; number < kFrames; ++number) {
        ASSERT_NO_FATAL_FAILURE(send(number, format));
    }
    viewing.clear();  // all have arrived
    EXPECT_EQ(sender_->receiverCount(), 2U);
}

TEST_F(GroupStream, WhoHasNoGroupIsToldSo) {
    const auto says = [](auto&& begin, const std::string& part) {
        return contains(thrownBy(begin).what(), part);
    };
    SenderOptions options;
    options.url = parseUrl("tcp://127.0.0.1:0");
    options.listen = false;
    options.multicast = multicast::parseGroup("239.1.2.3%lo");
    EXPECT_TRUE(says([&] { Broadcast sender(options); }, "one viewer that is connected to"));
    options.listen = true;
    options.url = parseUrl("shm://group-stream-test");
    EXPECT_TRUE(says([&] { Broadcast sender(options); }, "without a tcp port"));
    ReceiverOptions viewer;
    viewer.url = parseUrl("multicast://239.1.2.3%lo");
    viewer.listen = true;
    EXPECT_TRUE(says([&] { FrameReceiver receiver(viewer); }, "multicast"));
}

}  // namespace
}  // namespace verbcast::testing
