// What needs no device: the wire values and the URL options.
#include "core/transport/verbs/verbs_wire.h"

#include <gtest/gtest.h>

#include "core/transport/verbs/verbs_errors.h"
#include "core/transport/verbs/verbs_options.h"

namespace verbcast {
namespace {

TEST(VerbsWire, greetingSurvivesTheWireAndPadding) {
    Greeting greeting;
    greeting.features = kTakesImmediates;
    greeting.messageCredits = 64;
    greeting.largestWriteBytes = 0x80000000;
    auto bytes = encodeGreeting(greeting);
    EXPECT_LE(bytes.size(), kMaxPrivateBytes);
    bytes.resize(kMaxPrivateBytes);
    const auto decoded = decodeGreeting(bytes);
    ASSERT_TRUE(decoded.greeting);
    EXPECT_EQ(decoded.greeting->features, kTakesImmediates);
    EXPECT_EQ(decoded.greeting->messageCredits, 64);
    EXPECT_EQ(decoded.greeting->largestWriteBytes, 0x80000000);
    EXPECT_FALSE(decodeRefusal(bytes));
}

TEST(VerbsWire, greetingsThatCannotWorkAreRefused) {
    Greeting greeting;
    EXPECT_FALSE(decodeGreeting(encodeGreeting(greeting)).greeting) << "no credits";
    greeting.messageCredits = 1;
    greeting.largestWriteBytes = 100;
    EXPECT_FALSE(decodeGreeting(encodeGreeting(greeting)).greeting) << "tiny writes";
    greeting.largestWriteBytes = 4096;
    EXPECT_TRUE(decodeGreeting(encodeGreeting(greeting)).greeting);
    greeting.version = 77;
    const auto other = decodeGreeting(encodeGreeting(greeting));
    EXPECT_FALSE(other.greeting);
    EXPECT_EQ(other.refusal, RefusalReason::Version);
    EXPECT_NE(other.problem.find("77"), std::string::npos);
}

TEST(VerbsWire, poolsAreCheckedIn64Bits) {
    const PoolAnnouncement good{3, 256, 1 << 20, 0x7f0000000000, 11, 12, 0x7e0000000000};
    const PoolAnnouncement decoded = decodePool(encodePool(good));
    EXPECT_EQ(decoded.generation, 3U);
    EXPECT_EQ(decoded.poolKey, 11U);
    EXPECT_EQ(decoded.infoAddress, 0x7e0000000000U);
    for (auto [count, bytes, pool, infos] :
         {std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>{0, 4096, 0, 0},
          {257, 4096, 0, 0},
          {1, 0, 0, 0},
          {4, 1ULL << 62, 1, 0},
          {2, 4096, ~0ULL - 4096, 0},
          {2, 4096, 0, ~0ULL - 200}}) {
        EXPECT_THROW(decodePool(encodePool({1, count, bytes, pool, 0, 0, infos})), Error)
            << count << " x " << bytes;
    }
    const auto bytes = encodePool(good);
    EXPECT_THROW(decodePool(std::span(bytes).first(bytes.size() - 1)), Error);
}

TEST(VerbsWire, immediatesHoldSlotAndGeneration) {
    const std::uint32_t immediate = makeImmediate(0x12345, 255);
    EXPECT_EQ(slotOfImmediate(immediate), 255U);
    EXPECT_EQ(generationOfImmediate(immediate), 0x2345);
}

TEST(VerbsOptions, areParsedAndWrongOnesNamed) {
    const VerbsOptions options =
        parseVerbsOptions(parseUrl("verbs://h?device=mlx5_1&port=2&gid=3&immediate=off"));
    EXPECT_EQ(options.device, "mlx5_1");
    EXPECT_EQ(options.port, 2);
    EXPECT_EQ(options.gid, 3);
    EXPECT_FALSE(options.immediate);
    for (const char* wrong :
         {"port=x", "port=0", "gid=-1", "immediate=maybe", "timeout=0", "colour=red", "device="}) {
        try {
            parseVerbsOptions(parseUrl(std::string("verbs://h?") + wrong));
            ADD_FAILURE() << wrong;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
            EXPECT_NE(std::string(error.what()).find(wrong), std::string::npos) << error.what();
        }
    }
}

TEST(VerbsOptions, timeoutBecomesTheNextExponent) {
    // 7 transmissions of 4.096 us * 2^14 are 469.8 ms.
    EXPECT_EQ(parseVerbsOptions(parseUrl("verbs://h?timeout=470")).ackTimeoutExponent, 15);
    EXPECT_EQ(parseVerbsOptions(parseUrl("verbs://h?timeout=469")).ackTimeoutExponent, 14);
}

TEST(VerbsErrors, statusesAreNamed) {
    EXPECT_EQ(completionStatusText(IBV_WC_RETRY_EXC_ERR),
              "transport retry counter exceeded (12): the peer or the link is gone");
    EXPECT_EQ(cmFailureText(RDMA_CM_EVENT_REJECTED, 8), "nobody is listening there");
    EXPECT_EQ(cmFailureText(RDMA_CM_EVENT_REJECTED, -ECONNREFUSED), "nobody is listening there");
    EXPECT_EQ(cmFailureText(RDMA_CM_EVENT_UNREACHABLE, -110), "no answer");
}

}  // namespace
}  // namespace verbcast
