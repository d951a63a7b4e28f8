// Frames of which only the changed parts are transferred: a viewer always gets the whole picture, and the
// reported changes are correct relative to the viewer's previous frame.
#include <gtest/gtest.h>

#include <future>
#include <set>

#include "core/base/checksum.h"
#include "core/video/picture_changes.h"
#include "tests/core/session/connection_cutter.h"
#include "tests/support/changing_source.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

/// Keeps the checksum of each picture.
class SummedSource final : public ChangingSource {
  public:
    using ChangingSource::ChangingSource;
    std::uint64_t sumOf(std::int64_t pts) const { return sums_.at(static_cast<std::size_t>(pts)); }

  private:
    void note(const VideoFormat& /*format*/, const std::vector<std::byte>& picture) override {
        sums_.push_back(checksumOf(picture));
    }

    std::vector<std::uint64_t> sums_;
};

struct Watcher {
    explicit Watcher(const ReceiverOptions& options) : receiver(options) {}

    ::testing::AssertionResult check(const ReceivedFrame& frame, const SummedSource& source) {
        last = frame.info.pts;
        if (checksumOf({frame.lease.data(), frame.format->payloadBytes}) != source.sumOf(last)) {
            return ::testing::AssertionFailure() << "frame " << last << " is another picture";
        }
        return mirror.follow(*frame.format, frame.lease.data(), PictureChanges::of(frame.info))
               << ", frame " << last;
    }
    ::testing::AssertionResult takeNewest(const SummedSource& source,
                                          std::chrono::nanoseconds timeout = kLimit) {
        ReceivedFrame frame;
        const Status status = receiver.receiveNewest(frame, timeout);
        if (status == Status::TimedOut && timeout < kLimit) {
            return ::testing::AssertionSuccess();
        }
        if (status != Status::Ok) {
            return ::testing::AssertionFailure() << "status " << static_cast<int>(status);
        }
        const auto checked = check(frame, source);
        held.push_back(std::move(frame));
        return checked;
    }

    FrameReceiver receiver;
    ChangesMirror mirror;
    std::vector<ReceivedFrame> held;
    std::int64_t last = -1;
};

const std::array<VideoFormat, 5>& formats() {
    static const std::array<VideoFormat, 5> all{
        tightFormat(320, 240, PixelFormat::rgba), tightFormat(333, 241, PixelFormat::yuv420p),
        tightFormat(322, 240, PixelFormat::v210), tightFormat(641, 360, PixelFormat::nv12),
        tightFormat(320, 240, PixelFormat::uyvy422)};
    return all;
}

class ChangedParts : public TransportSuite {
  protected:
    SenderOptions sending(Policy policy) const { return patientSender(GetParam(), policy); }
};

TEST_P(ChangedParts, AreTheWholePictureForViewersOfAnySpeed) {
    SenderOptions options = sending(Policy::Latest);
    options.slots = 24;
    Broadcast sender(options);
    ReceiverOptions few = receiverOptions(sender);
    few.slots = 3;
    Watcher quick(receiverOptions(sender)), slow(receiverOptions(sender)), narrow(few);
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 3; }));
    SummedSource source(formats()[0], 24);
    for (int i = 0; i < 300; ++i) {
        if (i % 60 == 59) {
            source.change(formats().at(static_cast<std::size_t>(i / 60 % 5)));
        }
        ASSERT_TRUE(source.send(sender));
        ASSERT_TRUE(quick.takeNewest(source, 2ms));
        quick.held.clear();
        if (source.dice(5) == 0) {
            ASSERT_TRUE(slow.takeNewest(source, 1ms));
            if (slow.held.size() > source.dice(6)) {
                slow.held.erase(slow.held.begin(), slow.held.end() - 1);  // keeps a varying number of slots
            }
        }
        if (source.dice(3) == 0) {
            ASSERT_TRUE(narrow.takeNewest(source, 1ms));
            narrow.held.clear();
        }
    }
    for (Watcher* watcher : {&quick, &slow, &narrow}) {
        watcher->held.clear();
        ASSERT_TRUE(source.send(sender));
        for (const std::int64_t end = source.lastPts(); watcher->last < end;) {
            ASSERT_TRUE(watcher->takeNewest(source));
            watcher->held.clear();
        }
        EXPECT_GT(watcher->mirror.parts, 0U);
    }
}

TEST_P(ChangedParts, ArriveOneByOneOfALosslessStream) {
    Broadcast sender(sending(Policy::Lossless));
    Watcher watcher(receiverOptions(sender));
    SummedSource source(formats()[1], 4);
    constexpr int kFrames = 200;
    auto sendAll = std::async(std::launch::async, [&] {
        for (int i = 0; i < kFrames; ++i) {
            ASSERT_TRUE(source.send(sender));
        }
    });
    // The source's thread records a picture's checksum only after submitting it, so compare at the end.
    std::vector<std::pair<FrameInfo, std::uint64_t>> came;
    ReceivedFrame frame;
    for (int i = 0; i < kFrames; ++i) {
        ASSERT_EQ(watcher.receiver.receive(frame, kLimit), Status::Ok);
        came.emplace_back(frame.info, checksumOf({frame.lease.data(), frame.format->payloadBytes}));
    }
    sendAll.get();
    for (int i = 0; i < kFrames; ++i) {
        ASSERT_EQ(came[static_cast<std::size_t>(i)].first.pts, i);
        ASSERT_EQ(came[static_cast<std::size_t>(i)].second, source.sumOf(i)) << i;
    }
}

/// Regression: each change of the pool began a new epoch, so that a frame counted as changed all over, and a
/// viewer that reads in place mapped another ring. A relay that is fed over rails has a pool for each.
TEST_P(ChangedParts, StayPartsWhateverPoolsTheFramesLieIn) {
    Broadcast sender(sending(Policy::Lossless));
    Watcher watcher(receiverOptions(sender));
    SummedSource source(formats()[0], 4);
    std::vector<std::shared_ptr<FramePool>> pools;
    for (std::size_t i = 0; i < kMaxOpenRings; ++i) {
        pools.push_back(source.anotherPool());
    }
    std::set<const FramePool*> rings;
    std::size_t whole = 0;
    ReceivedFrame frame;
    const auto sendAndCheck = [&] {
        PictureChanges changes = PictureChanges::none();
        changes.add(source.draw({8, 8, 16, 16}));
        ASSERT_TRUE(source.send(sender, changes));
        ASSERT_EQ(watcher.receiver.receive(frame, kLimit), Status::Ok);
        ASSERT_TRUE(watcher.check(frame, source));
        whole += frame.info.rectCount == 0 ? 1 : 0;
        rings.insert(frame.lease.pool().get());
    };
    for (int i = 0; i < 100; ++i) {
        source.lieIn(pools[source.dice(static_cast<std::uint32_t>(pools.size()))]);
        ASSERT_NO_FATAL_FAILURE(sendAndCheck()) << i;
    }
    EXPECT_EQ(whole, 1U) << "the first";
    EXPECT_EQ(rings.size(), GetParam() == "shm" ? pools.size() : 1U);
    // More than may be open at a time, and those that are gone make room.
    for (int i = 0; i < 40; ++i) {
        if (i % 2 == 0) {
            pools[static_cast<std::size_t>(i / 4) % pools.size()] = source.anotherPool();
        } else {
            pools.push_back(source.anotherPool());
        }
        source.lieIn(pools[source.dice(static_cast<std::uint32_t>(pools.size()))]);
        ASSERT_NO_FATAL_FAILURE(sendAndCheck()) << i;
    }
    EXPECT_EQ(whole, 1U) << "the first";
}

/// The receiver is told of a ring that holds the new format's frames, even if it has it.
TEST_P(ChangedParts, FollowAFormatThatReturnsToAnEarlierAndLargerPool) {
    Broadcast sender(sending(Policy::Lossless));
    Watcher watcher(receiverOptions(sender));
    const VideoFormat large = formats()[0], small = tightFormat(160, 120, PixelFormat::rgba);
    const auto poolFor = [](const VideoFormat& format) {
        return FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 4});
    };
    const auto first = poolFor(large), second = poolFor(small);
    SummedSource source(small, 4);
    ReceivedFrame frame;
    const auto sendFrom = [&](const std::shared_ptr<FramePool>& pool) {
        source.lieIn(pool);
        ASSERT_TRUE(source.send(sender));
        ASSERT_EQ(watcher.receiver.receive(frame, kLimit), Status::Ok);
        ASSERT_TRUE(watcher.check(frame, source));
    };
    for (int i = 0; i < 3; ++i) {
        ASSERT_NO_FATAL_FAILURE(sendFrom(first));
        ASSERT_NO_FATAL_FAILURE(sendFrom(second));
        source.change(large);
        ASSERT_NO_FATAL_FAILURE(sendFrom(first));
        source.change(small);
    }
}

TEST_P(ChangedParts, OfEncryptedFramesAreEncryptedAndExact) {
    const NamedKey key{kSharedKeyName, SessionKey::random()};
    SenderOptions options = sending(Policy::Latest);
    options.trust = {.key = key, .encrypt = true};
    Broadcast sender(options);
    ReceiverOptions receiving = receiverOptions(sender);
    receiving.trust = options.trust;
    Watcher watcher(receiving);
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 1; }));
    SummedSource source(formats()[3]);
    for (int i = 0; i < 60; ++i) {
        ASSERT_TRUE(source.send(sender));
        ASSERT_TRUE(watcher.takeNewest(source));
        watcher.held.clear();
    }
    EXPECT_GT(watcher.mirror.parts, 0U);
    EXPECT_EQ(sender.stats().cipher.refused, 0U);
}

TEST_P(ChangedParts, OutsideThePictureAreNotTakenFromASource) {
    Broadcast sender(sending(Policy::Latest));
    const VideoFormat& format = formats()[0];
    const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 2});
    FrameInfo info;
    info.rectCount = 1;
    info.rects[0] = {300, 0, 21, 1};
    const Error error = thrownBy(
        [&] { static_cast<void>(sender.submit(std::move(*pool->tryAcquire()), format, info, Event())); });
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    EXPECT_TRUE(contains(error.what(), "21x1 at 300,0 in a picture of 320x240"));
    info.rects[0] = {};
    EXPECT_THROW(static_cast<void>(sender.submit(std::move(*pool->tryAcquire()), TrackFormat::ofBytes(100),
                                                 100, info, Event())),
                 Error)
        << "bytes have no parts";
}

/// The refusal that a handmade sender gets for its second frame.
std::string refusalOf(const TransportUnderTest& transport, const FrameInfo& first, const FrameInfo& second) {
    ReceiverOptions options = receiverOptions(listenAddressFor(transport));
    options.listen = true;
    FrameReceiver receiver(options);
    RawPeer peer(receiver);
    peer.greet(Role::Sender);
    const VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 4});
    peer.announce(0, 1, TrackFormat::ofVideo(format), pool);
    for (FrameInfo info : {first, second}) {
        EXPECT_TRUE(peer.accepted(1));
        info.epoch = 1;
        info.payloadBytes = format.payloadBytes;
        if (peer.sendFrame(std::move(*pool->tryAcquire()), info) != Status::Ok) {
            break;
        }
    }
    return peer.awaitRefusal();
}

TEST_P(ChangedParts, OutsideThePictureEndTheSessionOfThePeerThatTellsThem) {
    FrameInfo whole, beyond;
    beyond.sequence = 1;
    beyond.rectCount = 1;
    beyond.rects[0] = {60, 60, 4, 5};
    EXPECT_TRUE(contains(refusalOf(GetParam(), whole, beyond), "4x5 at 60,60 in a picture of 64x64"));
}

TEST_P(ChangedParts, OfNothingEndTheSessionOfThePeerThatTellsThem) {
    FrameInfo part;
    part.rectCount = 1;
    part.rects[0] = {0, 0, 4, 4};
    FrameInfo next = part;
    next.sequence = 1;
    EXPECT_TRUE(contains(refusalOf(GetParam(), part, next), "none before it"));
}

VERBCAST_OVER_TRANSPORTS(ChangedParts, transportsUnderTest());

class MovedBytes : public ChangedParts {};

TEST_P(MovedBytes, OfSmallChangesAreFew) {
    Broadcast sender(sending(Policy::Latest));
    Watcher watcher(receiverOptions(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 1; }));
    const VideoFormat format = tightFormat(640, 480, PixelFormat::rgba);
    SummedSource source(format);
    const auto sendAndTake = [&](int frames, bool still) {
        for (int i = 0; i < frames; ++i) {
            PictureChanges changes = PictureChanges::none();
            if (!still) {
                changes.add(source.draw({static_cast<std::uint16_t>(source.dice(600)),
                                         static_cast<std::uint16_t>(source.dice(400)), 12, 16}));
            }
            ASSERT_TRUE(source.send(sender, changes));
            ASSERT_TRUE(watcher.takeNewest(source));
            watcher.held.clear();
        }
    };
    sendAndTake(200, false);
    const std::uint64_t typing = sender.stats().bytesMoved;
    EXPECT_GE(typing, 199U * 12 * 16 * 4);
    sendAndTake(200, true);
    // A whole frame for the first use of each slot, and a hundredth of a frame for each other one.
    const std::uint64_t whole = receiverOptions(sender).slots * format.payloadBytes;
    EXPECT_LT(sender.stats().bytesMoved, whole + 400 * format.payloadBytes / 100);
    // Counted a moment after the viewer has received the frame.
    EXPECT_TRUE(eventually([&] { return sender.stats().bytes == 400 * format.payloadBytes; }));
    EXPECT_TRUE(eventually([&] { return watcher.receiver.stats().bytesMoved <= sender.stats().bytesMoved; }));
}

VERBCAST_OVER_TRANSPORTS(MovedBytes, transportsThatWrite());

TEST(MovedBytesOfSharedMemory, AreNone) {
    TransportUnderTest shm = transportsThatShareMemory().front();
    Broadcast sender(senderOptions(shm, Policy::Latest));
    Watcher watcher(receiverOptions(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 1; }));
    SummedSource source(formats()[0]);
    ASSERT_TRUE(source.send(sender));
    ASSERT_TRUE(watcher.takeNewest(source));
    EXPECT_EQ(sender.stats().bytesMoved, 0U);
    EXPECT_TRUE(eventually([&] { return sender.stats().bytes == formats()[0].payloadBytes; }));
}

class ChangedPartsCut : public ChangedParts {};

TEST_P(ChangedPartsCut, AreWholePicturesAfterEachReconnection) {
    for (const Policy policy : {Policy::Lossless, Policy::Latest}) {
        Broadcast sender(sending(policy));
        Watcher watcher(receiverOptions(sender));
        ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 1; }));
        SummedSource source(formats()[0]);
        std::uint64_t connections = 1;
        for (int i = 0; i < 120; ++i) {
            ASSERT_TRUE(source.send(sender));
            if (policy == Policy::Lossless) {
                ReceivedFrame frame;
                ASSERT_EQ(watcher.receiver.receive(frame, kLimit), Status::Ok);
                ASSERT_EQ(frame.info.pts, i);
                ASSERT_TRUE(watcher.check(frame, source));
            } else {
                ASSERT_TRUE(watcher.takeNewest(source, 5ms));
                watcher.held.clear();
            }
            if (i % 30 == 20) {
                cut(connectedSockets(GetParam().name), i % 60 == 20 ? Cut::Abrupt : Cut::Orderly);
                ASSERT_TRUE(eventually([&] {
                    return watcher.receiver.stats().connections > connections && sender.receiverCount() == 1;
                }));
                connections = watcher.receiver.stats().connections;
            }
        }
        ASSERT_TRUE(source.send(sender));
        while (watcher.last < source.lastPts()) {
            ASSERT_TRUE(watcher.takeNewest(source));
            watcher.held.clear();
        }
        EXPECT_GT(watcher.mirror.parts, 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(Over, ChangedPartsCut, ::testing::ValuesIn(transportsOfSockets()), transportName);

}  // namespace
}  // namespace verbcast::testing
