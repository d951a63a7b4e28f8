// Encoding and decoding every message: round trips, truncated input, and random bytes.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <limits>
#include <random>
#include <tuple>

#include "core/base/ring_queue.h"
#include "core/session/messages/messages.h"
#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

Hello sampleHello() {
    Hello hello;
    hello.role = Role::PipeReceiver;
    hello.features = kTakesInput | 1ULL << 40;
    hello.host = hostId();
    hello.instance = 0x1122334455667788;
    hello.slots = 5;
    hello.name = "wall";
    hello.software = "verbcast 9";
    return hello;
}

FormatMessage sampleFormat(TrackFormat format) {
    FormatMessage message;
    message.track = 3;
    message.epoch = 77;
    message.policy = Policy::Lossless;
    message.framesBefore = 1ULL << 33;
    message.format = std::move(format);
    return message;
}

VideoFormat sampleVideo() {
    VideoFormat video = tightFormat(640, 480, PixelFormat::nv12);
    video.frameRate = {60000, 1001};
    video.colour = {9, 16, 9, true, 1};
    video.rotation = 90;
    video.fieldOrder = FieldOrder::BottomFirst;
    video.alpha = AlphaKind::Premultiplied;
    video.hdr = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, 9, 10, 11, 12};
    return video;
}

RingMessage sampleRing() {
    RingMessage ring;
    ring.track = 2;
    ring.ring = 9;
    ring.shape = {4096, 12};
    ring.offer = {std::byte{1}, std::byte{2}, std::byte{3}};
    return ring;
}

Credit sampleCredit() {
    Credit credit;
    credit.track = 1;
    credit.ring = 4;
    credit.nextSequence = 1ULL << 50;
    for (const std::uint16_t slot : {7, 0, 255}) {
        credit.slots.push(slot);
    }
    return credit;
}

InputMessage sampleInput() {
    InputMessage input;
    input.sequence = 12;
    input.event = {InputKind::Application,      true, 0xff1b, 1.5F, -2.5F, 0.25F, -1,
                   {std::byte{9}, std::byte{8}}};
    return input;
}

/// One message of each type; none equals its default.
auto samples() {
    return std::tuple(sampleHello(), Refuse{RefuseCode::Stalled, "too slow"},
                      sampleFormat(TrackFormat::ofVideo(sampleVideo())),
                      sampleFormat(TrackFormat::ofBytes(12345)), sampleRing(), Accept{1, 2, 3, false, 4},
                      sampleCredit(), Ping{-5}, Pong{1, 2, 3}, EndOfTrack{5, 6, false, "over"},
                      Report{1, 2, 3, {4, 5.5, 6.5, 7.5, 8.5}, 9.5}, sampleInput(), Bye{"see you"});
}

template <typename Visit>
void eachSample(Visit&& visit) {
    std::apply([&](const auto&... message) { (visit(message), ...); }, samples());
}

template <typename M>
M decodeBytes(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    EXPECT_EQ(static_cast<MessageType>(reader.get<std::uint8_t>()), M::kType);
    return decodeMessage<M>(reader);
}

TEST(Codec, EveryMessageComesBackAsItWas) {
    eachSample([](const auto& message) {
        using M = std::decay_t<decltype(message)>;
        const auto bytes = encodeMessage(message);
        EXPECT_EQ(encodeMessage(decodeBytes<M>(bytes)), bytes) << static_cast<int>(M::kType);
        // If a default message encoded equally, the comparison would prove nothing.
        EXPECT_NE(encodeMessage(M{}), bytes) << static_cast<int>(M::kType);
    });
}

TEST(Codec, FieldsKeepTheirMeaning) {
    const auto hello = decodeBytes<Hello>(encodeMessage(sampleHello()));
    EXPECT_EQ(hello.role, Role::PipeReceiver);
    EXPECT_EQ(hello.instance, 0x1122334455667788U);
    EXPECT_EQ(hello.host, hostId());
    EXPECT_EQ(hello.software.value, "verbcast 9");
    const auto format =
        decodeBytes<FormatMessage>(encodeMessage(sampleFormat(TrackFormat::ofVideo(sampleVideo()))));
    EXPECT_EQ(format.format.video, sampleVideo());
    EXPECT_EQ(format.policy, Policy::Lossless);
    const auto bytes = decodeBytes<FormatMessage>(encodeMessage(sampleFormat(TrackFormat::ofBytes(12345))));
    EXPECT_EQ(bytes.format, TrackFormat::ofBytes(12345));
    const auto credit = decodeBytes<Credit>(encodeMessage(sampleCredit()));
    EXPECT_EQ(std::vector<std::uint16_t>(credit.slots.span().begin(), credit.slots.span().end()),
              (std::vector<std::uint16_t>{7, 0, 255}));
    EXPECT_EQ(decodeBytes<InputMessage>(encodeMessage(sampleInput())).event, sampleInput().event);
    EXPECT_EQ(decodeBytes<Ping>(encodeMessage(Ping{-5})).sentAt, -5);
    EXPECT_FALSE(decodeBytes<Accept>(encodeMessage(Accept{1, 2, 3, false, 4})).wanted);
}

TEST(Codec, EveryTruncationThrowsAndBytesBehindAreIgnored) {
    eachSample([](const auto& message) {
        using M = std::decay_t<decltype(message)>;
        auto bytes = encodeMessage(message);
        for (std::size_t length = 0; length + 1 < bytes.size(); ++length) {
            ByteReader reader(std::span<const std::byte>(bytes).subspan(1, length));
            const Error error = thrownBy([&] { static_cast<void>(decodeMessage<M>(reader)); });
            EXPECT_EQ(error.kind(), ErrorKind::Peer);
        }
        const auto whole = bytes;
        bytes.insert(bytes.end(), 17, std::byte{0xee});  // fields of a later version
        EXPECT_EQ(encodeMessage(decodeBytes<M>(bytes)), whole);
    });
}

TEST(Codec, NoiseDoesNoMoreThanThrow) {
    std::mt19937 random(7);
    std::vector<std::byte> noise;
    for (int round = 0; round < 4000; ++round) {
        noise.resize(random() % 300);
        for (auto& byte : noise) {
            byte = static_cast<std::byte>(random());
        }
        eachSample([&](const auto& message) { tryReading<std::decay_t<decltype(message)>>(noise); });
    }
}

TEST(Codec, FlippedBitsDoNoMoreThanThrow) {
    std::mt19937 random(11);
    eachSample([&](const auto& message) {
        using M = std::decay_t<decltype(message)>;
        const auto good = encodeMessage(message);
        for (int round = 0; round < 3000; ++round) {
            auto bytes = good;
            for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
                bytes[1 + random() % (bytes.size() - 1)] ^= static_cast<std::byte>(1U << random() % 8);
            }
            tryReading<M>(std::span<const std::byte>(bytes).subspan(1));
        }
    });
}

template <typename M>
void expectRefused(const M& message, const char* why) {
    EXPECT_THROW(decodeBytes<M>(encodeMessage(message)), Error) << why;
}

TEST(Codec, ValuesThatCannotBeAreRefused) {
    RingMessage ring = sampleRing();
    ring.shape.slotCount = 0;
    expectRefused(ring, "no slots");
    ring.shape.slotCount = kMaxSlots + 1;
    expectRefused(ring, "too many slots");
    ring = sampleRing();
    ring.shape.slotBytes = 0;
    expectRefused(ring, "empty slots");
    ring = sampleRing();
    ring.offer.resize(kMaxOfferBytes + 1);
    expectRefused(ring, "an offer that is too long");
    ring.offer.resize(kMaxOfferBytes);
    EXPECT_EQ(decodeBytes<RingMessage>(encodeMessage(ring)).offer.size(), kMaxOfferBytes);

    expectRefused(sampleFormat(TrackFormat::ofBytes(0)), "frames of nothing");
    expectRefused(sampleFormat(TrackFormat::ofBytes(TrackFormat::kMaxTrackBytes + 1)), "frames too large");
    VideoFormat video = sampleVideo();
    video.payloadBytes -= 1;
    expectRefused(sampleFormat(TrackFormat::ofVideo(video)), "a plane beyond the payload");
    FormatMessage unknown = sampleFormat(TrackFormat::ofBytes(5));
    unknown.format.kind = static_cast<TrackKind>(3);
    expectRefused(unknown, "an unknown kind of track");

    Report report;
    for (double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
        report.latency.p99 = value;
        expectRefused(report, "no latency");
    }
    InputMessage input = sampleInput();
    input.event.kind = static_cast<InputKind>(0);
    expectRefused(input, "unknown input");
    input = sampleInput();
    input.event.dx = std::numeric_limits<float>::quiet_NaN();
    expectRefused(input, "nowhere");
    input = sampleInput();
    input.event.data.resize(kMaxInputData + 1);
    expectRefused(input, "too much input");
}

TEST(Codec, AListLongerThanItsBoundIsRefusedBeforeItIsRead) {
    auto bytes = encodeMessage(sampleCredit());
    const std::size_t count = 1 + 2 + 4 + 8;  // after type, track, ring and sequence
    ASSERT_EQ(bytes[count], std::byte{3});
    const std::uint16_t tooMany = kMaxSlots + 1;
    std::memcpy(bytes.data() + count, &tooMany, sizeof tooMany);
    bytes.resize(bytes.size() + 2 * tooMany);  // all of them are present
    EXPECT_THROW(decodeBytes<Credit>(bytes), Error);
    Credit all;
    for (std::size_t slot = 0; slot < kMaxSlots; ++slot) {
        all.slots.push(static_cast<std::uint16_t>(slot));
    }
    EXPECT_EQ(decodeBytes<Credit>(encodeMessage(all)).slots.count, kMaxSlots) << "as many as a ring can have";
}

TEST(Codec, TextsArePrintableAndShortWhateverAPeerSays) {
    Bye bye;
    bye.reason.value = std::string(3000, 'x') + "\x1b[2J";
    const auto heard = decodeBytes<Bye>(encodeMessage(bye));
    EXPECT_EQ(heard.reason.value, std::string(400, 'x'));
    bye.reason.value = std::string("a\n\0b\x7f", 5);
    EXPECT_EQ(decodeBytes<Bye>(encodeMessage(bye)).reason.value, "a??b?");
    bye.reason.value = std::string(399, 'x') + "\u00e4 \u009b31m\u202e";
    EXPECT_EQ(decodeBytes<Bye>(encodeMessage(bye)).reason.value, std::string(399, 'x'));
    bye.reason.value = "\u00e4\u009b31m\u202e\xff";
    EXPECT_EQ(decodeBytes<Bye>(encodeMessage(bye)).reason.value, "\u00e4?31m??");
    EXPECT_EQ(PeerText(std::string(500, 'y')).value.size(), 400U) << "also on the way out";
}

TEST(Codec, WhatDoesNotFitAMessageIsOurOwnFault) {
    Bye bye;
    bye.reason.value.assign(kMaxEncodedBytes, 'x');
    const Error error = thrownBy([&] { encodeMessage(bye); });
    EXPECT_EQ(error.kind(), ErrorKind::Internal);
    std::array<std::byte, 8> small;
    EXPECT_THROW(encodeInto(small, Ping{1}), Error);
}

struct Odd {
    std::optional<std::uint32_t> number;
    std::string text;
    static void fields(auto& self, auto& visit) { visit(self.number, self.text); }
};

TEST(Codec, OptionalsAndTextsOfAnyLengthTravel) {
    for (const auto& odd : {Odd{{}, ""}, Odd{7, "seven"}, Odd{0, std::string(70000, 'z')}}) {
        std::vector<std::byte> buffer(1 << 17);
        WireWriter writer(buffer);
        writer(odd);
        ByteReader reader(writer.bytes());
        Odd back{9, "stale"};
        reader(back);
        EXPECT_EQ(back.number, odd.number);
        EXPECT_EQ(back.text, odd.text.substr(0, wire::kMaxText)) << "longer text is cut";
        EXPECT_EQ(reader.remaining(), 0U);
    }
}

TEST(RingQueue, KeepsItsOrderWhileItGrowsInTheMiddleOfACircle) {
    RingQueue<int> queue(3);
    std::deque<int> model;
    std::mt19937 random(3);
    for (int i = 0; i < 5000; ++i) {
        // The queue tends to grow, with pops in between to move its head.
        if (model.empty() || random() % 100 < 52) {
            queue.push(i);
            model.push_back(i);
        } else {
            ASSERT_EQ(queue.front(), model.front());
            ASSERT_EQ(queue.pop(), model.front());
            model.pop_front();
        }
        ASSERT_EQ(queue.size(), model.size());
        for (std::size_t at = 0; at < model.size(); at += 7) {
            ASSERT_EQ(queue[at], model[at]);
        }
    }
    queue.clear();
    EXPECT_TRUE(queue.empty());
    queue.push(1);
    EXPECT_EQ(queue.pop(), 1);
}

TEST(RingQueue, LetsGoOfWhatWasPopped) {
    const auto alive = std::make_shared<int>(1);
    RingQueue<std::shared_ptr<int>> queue;
    for (int i = 0; i < 10; ++i) {
        queue.push(alive);
    }
    EXPECT_EQ(alive.use_count(), 11);
    static_cast<void>(queue.pop());
    EXPECT_EQ(alive.use_count(), 10);
    queue.clear();
    EXPECT_EQ(alive.use_count(), 1);
}

}  // namespace
}  // namespace verbcast::testing
