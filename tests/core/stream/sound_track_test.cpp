// Sound as a track beside pictures: over messages, whatever the transport.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <future>
#include <vector>

#include "core/stream/stream_acceptor.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

constexpr TrackId kSound = 2;

/// Blocks of varying length, several messages long, of samples that follow from their number.
struct BlockSource {
    static constexpr SoundFormat kFormat{.rate = 96'000, .channels = 24, .maxSamples = 480};

    explicit BlockSource(TrackId of = kSound) : track(of) {}
    static std::uint64_t bytesOf(std::uint64_t number) {
        return kFormat.bytes(1 + number * 7919 % kFormat.maxSamples);
    }
    Status send(Broadcast& sender, const SoundFormat& format = kFormat) {
        auto lease = pool->acquire(kLimit, &never);
        if (!lease) {
            return Status::TimedOut;
        }
        TestSource::fill(lease->data(), bytesOf(next), next);
        FrameInfo info;
        info.track = track;
        info.pts = static_cast<std::int64_t>(next);
        const Status status =
            sender.submit(std::move(*lease), TrackFormat::ofSound(format), bytesOf(next), info, never);
        next += status == Status::Ok ? 1 : 0;
        return status;
    }

    TrackId track;
    std::shared_ptr<FramePool> pool =
        FramePool::create({.slotBytes = kFormat.bytes(kFormat.maxSamples), .slotCount = 2 * kSoundSlots});
    std::uint64_t next = 0;
    Event never;
};

ReceiverOptions withSound(const Broadcast& sender, TrackContent pictures = TrackContent::Frames) {
    ReceiverOptions options = receiverOptions(sender);
    options.content = pictures;
    options.further = {{.content = TrackContent::Nothing}, {.content = TrackContent::Sound}};
    return options;
}

class SoundTrack : public TransportSuite {
  protected:
    SenderOptions optionsFor(Policy policy) const { return senderOptions(GetParam(), policy); }
    /// Takes whole frames until the stream is over; returns how many. `gaps`: counts those missing.
    static std::uint64_t takeAll(FrameReceiver& viewer, TrackId track, std::uint64_t* gaps = nullptr) {
        std::uint64_t next = 0, taken = 0;
        ReceivedFrame frame;
        for (; viewer.receive(frame, kLimit, track) == Status::Ok; ++taken) {
            if (gaps != nullptr) {
                *gaps += frame.info.sequence - next;
            } else {
                EXPECT_EQ(frame.info.sequence, next);
            }
            next = frame.info.sequence + 1;
            EXPECT_TRUE(isWhole(frame));
            EXPECT_EQ(frame.sound != nullptr, track == kSound);
            if (track == kSound) {
                EXPECT_EQ(*frame.sound, BlockSource::kFormat);
                EXPECT_EQ(frame.info.payloadBytes,
                          BlockSource::bytesOf(static_cast<std::uint64_t>(frame.info.pts)));
            }
        }
        return taken;
    }
};

TEST_P(SoundTrack, ArrivesExactlyBesidePictures) {
    for (const Policy policy : {Policy::Lossless, Policy::Latest}) {
        SenderOptions options = optionsFor(policy);
        options.policies[0] = Policy::Lossless;
        Broadcast sender(options);
        FrameReceiver viewer(withSound(sender));
        FrameReceiver deaf(receiverOptions(sender));
        ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 2; }));
        constexpr std::uint64_t kPictures = 40;
        auto sending = std::async(std::launch::async, [&] {
            TestSource pictures;
            BlockSource sound;
            while (pictures.next < kPictures) {
                ASSERT_EQ(pictures.send(sender), Status::Ok);
                for (int i = 0; i < 3; ++i) {
                    ASSERT_EQ(sound.send(sender), Status::Ok);
                }
                ASSERT_TRUE(eventually([&] {  // a live source keeps time
                    return viewer.stats(kSound).framesTransferred + kSoundSlots / 4 >= sound.next;
                }));
            }
            EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
        });
        auto sound = std::async(std::launch::async, [&] { return takeAll(viewer, kSound); });
        auto unheard = std::async(std::launch::async, [&] { return takeAll(deaf, 0); });
        EXPECT_EQ(takeAll(viewer, 0), kPictures);
        EXPECT_EQ(sound.get(), 3 * kPictures);
        EXPECT_EQ(unheard.get(), kPictures);
        sending.get();
        EXPECT_EQ(viewer.stats(kSound).framesTransferred, 3 * kPictures);
        EXPECT_EQ(viewer.stats(kSound).framesLost + viewer.stats().framesLost + deaf.stats().framesLost, 0U);
    }
}

TEST_P(SoundTrack, NeedsNoPictures) {
    Broadcast sender(optionsFor(Policy::Lossless));
    FrameReceiver viewer(withSound(sender, TrackContent::Nothing));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    auto taking = std::async(std::launch::async, [&] { return takeAll(viewer, kSound); });
    BlockSource sound;
    while (sound.next < 200) {
        ASSERT_EQ(sound.send(sender), Status::Ok);
    }
    EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    EXPECT_EQ(taking.get(), 200U);
}

TEST_P(SoundTrack, WaitsForNobodyAndForgetsTheOldest) {
    Broadcast sender(optionsFor(Policy::Latest));
    FrameReceiver viewer(withSound(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    BlockSource sound;
    ReceivedFrame first;
    ASSERT_EQ(sound.send(sender), Status::Ok);
    ASSERT_EQ(viewer.receive(first, kLimit, kSound), Status::Ok);
    first = {};
    constexpr std::uint64_t kBlocks = 6 * kSoundSlots;
    for (std::uint64_t i = 1; i < kBlocks; ++i) {
        ASSERT_EQ(sound.send(sender), Status::Ok) << i;  // nobody takes any
    }
    auto finishing = std::async(std::launch::async, [&] { return sender.finish("done", kLimit, Event()); });
    std::uint64_t gaps = 0;
    const std::uint64_t taken = 1 + takeAll(viewer, kSound, &gaps);
    --gaps;  // the first
    EXPECT_EQ(finishing.get(), Status::Ok);
    EXPECT_EQ(taken + gaps, kBlocks) << "the newest came";
    EXPECT_GT(gaps, 0U);
    EXPECT_GE(taken, kSoundSlots / 2);
    EXPECT_EQ(viewer.stats(kSound).framesDropped, gaps);
}

TEST_P(SoundTrack, ComesWhileWhoTakesPicturesIsBusy) {
    // Over shared memory the consumer of the only track serves the connection itself.
    Broadcast sender(optionsFor(Policy::Latest));
    FrameReceiver viewer(withSound(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    TestSource pictures;
    ReceivedFrame picture;
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(pictures.sendToWhoComes(sender), Status::Ok);
        ASSERT_EQ(viewer.receive(picture, kLimit), Status::Ok);
        picture = {};
    }
    BlockSource sound;
    ReceivedFrame block;
    for (std::uint64_t i = 0; i < 20; ++i) {
        ASSERT_EQ(sound.send(sender), Status::Ok);
        if (i == 0 && viewer.receive(block, 50ms, kSound) != Status::Ok) {
            // It may need one look of the one that has served so far, which a picture brings.
            ASSERT_EQ(pictures.send(sender), Status::Ok);
            ASSERT_EQ(viewer.receive(picture, kLimit), Status::Ok);
            picture = {};
            ASSERT_EQ(viewer.receive(block, kLimit, kSound), Status::Ok);
        } else if (i > 0) {
            ASSERT_EQ(viewer.receive(block, kLimit, kSound), Status::Ok);
        }
        EXPECT_EQ(block.info.sequence, i);
    }
    ASSERT_EQ(pictures.send(sender), Status::Ok);
    EXPECT_EQ(viewer.receive(picture, kLimit), Status::Ok);
}

TEST_P(SoundTrack, EndsTheWaitForAPictureOfWhoTakesBoth) {
    Broadcast sender(optionsFor(Policy::Lossless));
    FrameReceiver viewer(withSound(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    BlockSource sound;
    TestSource pictures;
    ReceivedFrame frame;
    for (int i = 0; i < 10; ++i) {
        auto waiting = std::async(std::launch::async, [&] {
            const TimestampNs began = nowNs();
            EXPECT_EQ(viewer.receiveUnless(kSound, frame, kLimit), Status::TimedOut);
            EXPECT_LT(nowNs() - began, std::chrono::nanoseconds(kLimit).count());
            EXPECT_EQ(viewer.receive(frame, 0ns, kSound), Status::Ok);
        });
        ASSERT_EQ(sound.send(sender), Status::Ok);
        waiting.get();
        ASSERT_EQ(pictures.send(sender), Status::Ok);
        EXPECT_EQ(viewer.receiveUnless(kSound, frame, kLimit), Status::Ok) << "there is no more sound";
        EXPECT_TRUE(isWhole(frame));
        frame = {};
    }
}

TEST_P(SoundTrack, MayChangeItsFormatAndIsThereForWhoComesLater) {
    Broadcast sender(optionsFor(Policy::Lossless));
    FrameReceiver first(withSound(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    BlockSource sound;
    ReceivedFrame block;
    ASSERT_EQ(sound.send(sender), Status::Ok);
    ASSERT_EQ(first.receive(block, kLimit, kSound), Status::Ok);
    block = {};
    FrameReceiver later(withSound(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 2; }));
    SoundFormat other = BlockSource::kFormat;
    other.rate = 48'000;
    for (const SoundFormat& format : {BlockSource::kFormat, other}) {
        ASSERT_EQ(sound.send(sender, format), Status::Ok);
        for (FrameReceiver* viewer : {&first, &later}) {
            ASSERT_EQ(viewer->receive(block, kLimit, kSound), Status::Ok);
            EXPECT_EQ(block.info.sequence, sound.next - 1);
            EXPECT_EQ(*block.sound, format);
            block = {};
        }
    }
}

TEST_P(SoundTrack, KeepsItsWayAndItsLimits) {
    Broadcast sender(optionsFor(Policy::Latest));
    BlockSource first(0), second(1);
    EXPECT_THROW(static_cast<void>(first.send(sender)), Error)
        << "the first track's frames take the connection's own path";
    ASSERT_EQ(second.send(sender), Status::Ok);
    TestSource pictures;
    auto lease = pictures.make();
    FrameInfo info;
    info.track = 1;
    EXPECT_THROW(static_cast<void>(sender.submit(std::move(*lease), TrackFormat::ofVideo(pictures.format),
                                                 pictures.format.payloadBytes, info, Event())),
                 Error);
    for (const SoundFormat wrong : {SoundFormat{.channels = 65}, SoundFormat{.channels = 0},
                                    SoundFormat{.rate = 1}, SoundFormat{.maxSamples = 481}}) {
        EXPECT_THROW(static_cast<void>(second.send(sender, wrong)), Error) << describe(wrong);
    }
}

TEST_P(SoundTrack, IsNotTakenForPictures) {
    Broadcast sender(optionsFor(Policy::Latest));
    ReceiverOptions options = receiverOptions(sender);
    options.further.resize(1);  // of pictures or bytes
    FrameReceiver viewer(options);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    BlockSource sound(1);
    TestSource pictures;
    ReceivedFrame frame;
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(sound.send(sender), Status::Ok);
        ASSERT_EQ(pictures.sendToWhoComes(sender), Status::Ok);
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
        frame = {};
    }
    EXPECT_EQ(viewer.stats(1).framesTransferred, 0U);
    EXPECT_EQ(viewer.stats().connections, 1U);
}

/// A slot that its owner has taken back.
FrameLease takenBack(const FramePool& pool) {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const UniqueFd owner(ends[0]);
    std::vector<UniqueFd> deathSockets;
    deathSockets.emplace_back(ends[1]);
    const auto theirs = FramePool::mapPeer(UniqueFd(::dup(pool.memory()->descriptor())), pool.slotBytes(),
                                           2 * kSoundSlots, std::move(deathSockets));
    FrameLease lease = *theirs->adopt(0);
    FramePool::takeBack(owner.get());
    return lease;
}

TEST_P(SoundTrack, OfALosslessOneABlockThatIsLostIsMissingOnce) {
    Broadcast sender(optionsFor(Policy::Lossless));
    FrameReceiver viewer(withSound(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    BlockSource sound;
    ReceivedFrame block;
    ASSERT_EQ(sound.send(sender), Status::Ok);
    ASSERT_EQ(viewer.receive(block, kLimit, kSound), Status::Ok);
    block.lease = takenBack(*sound.pool);
    EXPECT_FALSE(viewer.confirm(block));
    EXPECT_EQ(viewer.stats(kSound).framesLost, 1U);
    ASSERT_TRUE(viewer.stats().sound);
    EXPECT_EQ(viewer.stats().sound->blocksMissing, 1U);
}

VERBCAST_OVER_TRANSPORTS(SoundTrack, transportsForCrowds());

}  // namespace
}  // namespace verbcast::testing
