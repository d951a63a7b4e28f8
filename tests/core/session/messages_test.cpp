#include "core/session/messages/messages.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "tests/support/expectations.h"

namespace verbcast::testing {
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
    const Hello back = decodeMessage<Hello>(reader);
    EXPECT_EQ(back.role, Role::Receiver);
    EXPECT_EQ(back.slots, 5U);
    EXPECT_EQ(back.host, hello.host);
    EXPECT_EQ(back.name.value, "evil?[2Jname");
}

TEST(Messages, ReportsWithImpossibleNumbersAreRefused) {
    Report report;
    report.latency.p99 = std::numeric_limits<double>::quiet_NaN();
    const auto bytes = encodeMessage(report);
    ByteReader reader(std::span<const std::byte>(bytes).subspan(1));
    EXPECT_THROW(static_cast<void>(decodeMessage<Report>(reader)), Error);
}

TEST(Messages, RandomBytesNeverDoMoreThanThrow) {
    std::mt19937 random(7);
    for (int round = 0; round < 20000; ++round) {
        std::vector<std::byte> bytes(random() % 200);
        for (auto& b : bytes) {
            b = static_cast<std::byte>(random());
        }
        tryReading<Hello>(bytes);
        tryReading<Refuse>(bytes);
        tryReading<FormatMessage>(bytes);
        tryReading<RingMessage>(bytes);
        tryReading<Accept>(bytes);
        tryReading<Report>(bytes);
        tryReading<EndOfTrack>(bytes);
        tryReading<InputMessage>(bytes);
        tryReading<Credit>(bytes);
    }
}

std::string_view doing(Role role) {
    return role == Role::Sender       ? "sends video"
           : role == Role::Receiver   ? "views video"
           : role == Role::PipeSender ? "sends a pipe"
                                      : "receives a pipe";
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
                // By name or by what the role does: "one end sends video and the other receives a pipe".
                for (const Role role : {ours, peers}) {
                    const bool named = mismatch->find(roleName(role)) != std::string::npos;
                    EXPECT_TRUE(named || mismatch->find(doing(role)) != std::string::npos) << *mismatch;
                }
            }
        }
        EXPECT_EQ(fitting, 1);
        EXPECT_TRUE(roleMismatch(ours, static_cast<Role>(0)));
        EXPECT_TRUE(roleMismatch(ours, static_cast<Role>(77)));
    }
    EXPECT_FALSE(roleMismatch(Role::Sender, Role::Receiver));
    EXPECT_FALSE(roleMismatch(Role::PipeReceiver, Role::PipeSender));
}

}  // namespace
}  // namespace verbcast::testing
