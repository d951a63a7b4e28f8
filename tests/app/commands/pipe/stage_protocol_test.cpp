// Messages between `pipe run` and its stages: limits of their values.
#include "app/commands/pipe/run/stage_protocol.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace verbcast::testing {
namespace {

StageReport flowWithBytes(const char* bytes) {
    return decodeReport(fmt::format(R"({{"type": "flow", "flowing": true, "transport": "tcp", "bytes": {},
        "length": null, "seconds": 1, "block_bytes": 1, "depth": 1, "checksum": null}})",
                                    bytes));
}

TEST(StageProtocol, NumbersThatDoNotFitAreRefused) {
    EXPECT_EQ(std::get<StageFlow>(flowWithBytes("18446744073709551615")).status.bytes, UINT64_MAX);
    for (const char* bytes : {"1e300", "0.5", "-1", "18446744073709551616", "\"1\"", "[1]"}) {
        try {
            flowWithBytes(bytes);
            ADD_FAILURE() << bytes;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Peer) << error.what();
        }
    }
}

TEST(StageProtocol, AStageConnectsForAsLongAsItsPlanSays) {
    StagePlan plan;
    plan.transfer.trust.key = NamedKey{kSharedKeyName, SessionKey::random()};
    for (const std::chrono::nanoseconds patience :
         {std::chrono::nanoseconds(0), std::chrono::nanoseconds(2'500'000'000),
          std::chrono::nanoseconds::max()}) {
        plan.transfer.patience = patience;
        EXPECT_EQ(std::get<StagePlan>(decodeOrder(encodeLine(plan))).transfer.patience, patience);
    }
}

TEST(StageProtocol, AStatusIsNotCutOffToSuccess) {
    const auto done = [](const char* status) {
        return decodeReport(fmt::format(
            R"({{"type": "done", "status": {}, "input_numa": null, "output_numa": null}})", status));
    };
    EXPECT_EQ(std::get<StageDone>(done("-3")).status, -3);
    EXPECT_THROW(done("4294967296"), Error);
    EXPECT_THROW(decodeReport(R"({"type": "failed", "code": 2147483648, "text": ""})"), Error);
}

TEST(StageProtocol, TellsTheNodesOfAStagesEnds) {
    const StageDone told{0, NumaStats{1, "auto", "mlx5_0 is on node 1"},
                         NumaStats{{}, "off", "as --numa says"}};
    const auto heard = std::get<StageDone>(decodeReport(encodeLine(StageReport(told))));
    EXPECT_EQ(heard.input, told.input);
    EXPECT_EQ(heard.output, told.output);
    StagePlan plan;
    plan.transfer.trust.key = NamedKey{kSharedKeyName, SessionKey::random()};
    plan.numa = {.text = "3", .node = 3};
    plan.route = "10.0.0.1";
    const auto ordered = std::get<StagePlan>(decodeOrder(encodeLine(plan)));
    EXPECT_EQ(ordered.numa.node, 3);
    EXPECT_EQ(ordered.route, "10.0.0.1");
}

}  // namespace
}  // namespace verbcast::testing
