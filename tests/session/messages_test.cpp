#include "core/session/messages.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <random>

#include "core/session/host_clock.h"

namespace verbcast {
namespace {

TEST(Messages, HelloTravelsAndItsNameIsMadePrintable) {
    Hello hello;
    hello.role = Role::Receiver;
    hello.slots = 5;
    hello.host = hostId();
    hello.name = "evil\x1b[2Jname";
    const auto bytes = encodeMessage(hello);
    ByteReader reader(bytes);
    EXPECT_EQ(reader.get<std::uint8_t>(), static_cast<std::uint8_t>(MessageType::Hello));
    const Hello back = decodeHello(reader);
    EXPECT_EQ(back.role, Role::Receiver);
    EXPECT_EQ(back.slots, 5U);
    EXPECT_EQ(back.host, hello.host);
    EXPECT_EQ(back.name, "evil?[2Jname");
}

TEST(Messages, ReportsWithImpossibleNumbersAreRefused) {
    Report report;
    report.latency.p99 = std::numeric_limits<double>::quiet_NaN();
    const auto bytes = encodeMessage(report);
    ByteReader reader(std::span<const std::byte>(bytes).subspan(1));
    EXPECT_THROW(decodeReport(reader), Error);
}

TEST(Messages, RandomBytesNeverDoMoreThanThrow) {
    std::mt19937 random(7);
    for (int round = 0; round < 20000; ++round) {
        std::vector<std::byte> bytes(random() % 200);
        for (auto& b : bytes) {
            b = static_cast<std::byte>(random());
        }
        for (const auto decode :
             {+[](ByteReader& r) { static_cast<void>(decodeHello(r)); },
              +[](ByteReader& r) { static_cast<void>(decodeRefuse(r)); },
              +[](ByteReader& r) { static_cast<void>(decodeFormat(r)); },
              +[](ByteReader& r) { static_cast<void>(decodeReport(r)); },
              +[](ByteReader& r) { static_cast<void>(decodeEndOfStream(r)); },
              +[](ByteReader& r) { static_cast<void>(decodeInput(r)); },
              +[](ByteReader& r) { visitCredits(r, [](std::uint32_t, std::uint16_t) {}); }}) {
            ByteReader reader(bytes);
            try {
                decode(reader);
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), ErrorKind::Peer);
            }
        }
    }
}

TEST(PeerClock, RecoversTheOffsetWithinHalfTheRoundTrip) {
    constexpr TimestampNs kOffset = 123'456'789'000;
    std::mt19937 random(3);
    PeerClock clock;
    TimestampNs ours = 1'000'000;
    for (int i = 0; i < 50; ++i) {
        const TimestampNs there = 5'000 + random() % 300'000;
        const TimestampNs back = 5'000 + random() % 300'000;
        clock.addSample(ours, ours + there + kOffset, ours + there + kOffset + 700,
                        ours + there + 700 + back);
        const TimestampNs wrong = clock.toLocal(kOffset + 42) - 42;
        EXPECT_LE(std::abs(wrong), clock.errorNs());
        ours += 1'000'000;
    }
    EXPECT_LT(clock.errorNs(), 200'000);
}

TEST(Roles, FitTheirCounterpartOnly) {
    constexpr std::array kRoles{Role::Sender, Role::Receiver, Role::PipeSender, Role::PipeReceiver};
    for (const Role ours : kRoles) {
        int fitting = 0;
        for (const Role peers : kRoles) {
            const auto mismatch = roleMismatch(ours, peers);
            fitting += mismatch ? 0 : 1;
            EXPECT_EQ(mismatch.has_value(), roleMismatch(peers, ours).has_value());
            if (mismatch) {
                EXPECT_NE(mismatch->find(roleName(ours)), std::string::npos) << *mismatch;
                EXPECT_NE(mismatch->find(roleName(peers)), std::string::npos) << *mismatch;
            }
        }
        EXPECT_EQ(fitting, 1);
        EXPECT_TRUE(roleMismatch(ours, static_cast<Role>(0)));
        EXPECT_TRUE(roleMismatch(ours, static_cast<Role>(77)));
    }
    EXPECT_FALSE(roleMismatch(Role::Sender, Role::Receiver));
    EXPECT_FALSE(roleMismatch(Role::PipeReceiver, Role::PipeSender));
}

TEST(PeerClock, OneHostHasOneClock) {
    PeerClock clock;
    clock.setSameHost();
    clock.addSample(0, 1'000'000, 1'000'000, 10);
    EXPECT_EQ(clock.toLocal(77), 77);
    EXPECT_EQ(clock.errorNs(), 0);
}

TEST(PeerClock, NonsenseFromThePeerIsIgnored) {
    PeerClock clock;
    clock.addSample(100, 0, std::numeric_limits<TimestampNs>::max(), 200);
    clock.addSample(100, std::numeric_limits<TimestampNs>::min(), std::numeric_limits<TimestampNs>::max(),
                    200);
    static_cast<void>(clock.toLocal(std::numeric_limits<TimestampNs>::min()));
}

}  // namespace
}  // namespace verbcast
