// The output equals the input: every length, any number of hops, any pace.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/core/pipe/running_pipe.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

/// A transport and a number of hops.
class EveryHop : public ::testing::TestWithParam<std::tuple<TransportUnderTest, int>> {
  protected:
    std::vector<std::string> transports() const {
        return std::vector<std::string>(static_cast<std::size_t>(std::get<1>(GetParam())),
                                        std::get<0>(GetParam()));
    }
    /// The content of a file after the chain.
    std::string through(const std::string& content, const PipeSettings& settings) const {
        const UniqueFd input = fileWith(content);
        const UniqueFd output = fileWith("");
        Chain chain(transports(), settings, PipeInput(input.get(), "the test's input"), output.get());
        const std::vector<int> codes = chain.exitCodes();
        EXPECT_EQ(codes, std::vector<int>(codes.size(), 0))
            << chain.sender().error() << chain.receiver().error();
        EXPECT_EQ(chain.sender().status().bytes, content.size());
        return contentOf(output.get());
    }
};

TEST_P(EveryHop, ShortLengthsArrive) {
    for (const std::size_t length : {0U, 1U, 63U, 64U, 65U, 300U}) {
        const std::string content = noise(length);
        ASSERT_TRUE(through(content, settingsOf(64)) == content) << length << " bytes";
    }
}

TEST_P(EveryHop, LengthsAroundBlocksArrive) {
    constexpr std::size_t kSmallBlock = 8192;
    for (const std::size_t blocks : {1U, 2U, 3U, 4U, 9U}) {
        for (const int more : {-1, 0, 1}) {
            const std::string content = noise(blocks * kSmallBlock + static_cast<std::size_t>(more));
            ASSERT_TRUE(through(content, settingsOf(kSmallBlock, 3, true)) == content)
                << content.size() << " bytes";
        }
    }
}

TEST_P(EveryHop, OneBlockInFlightIsEnough) {
    const std::string content = noise(100'000);
    EXPECT_TRUE(through(content, settingsOf(1000, 1, true)) == content);
}

TEST_P(EveryHop, LargeBlocksArrive) {
    const std::string content = noise((24U << 20) + 12345);
    EXPECT_TRUE(through(content, settingsOf(4U << 20, 4, true)) == content);
}

std::string hopName(const ::testing::TestParamInfo<std::tuple<TransportUnderTest, int>>& hop) {
    return fmt::format("{}_{}_hops", std::get<0>(hop.param).name, std::get<1>(hop.param));
}

INSTANTIATE_TEST_SUITE_P(Over, EveryHop,
                         ::testing::Combine(::testing::ValuesIn(everydayOf(transportsUnderTest())),
                                            ::testing::Values(1, 2, 3)),
                         hopName);
INSTANTIATE_TEST_SUITE_P(ThoroughOver, EveryHop,
                         ::testing::Combine(::testing::ValuesIn(furtherOf(transportsUnderTest())),
                                            ::testing::Values(1, 2, 3)),
                         hopName);

class EveryLength : public EveryHop {};

TEST_P(EveryLength, Arrives) {
    // RDMA, emulated or not, needs a while for each connection.
    const std::size_t step = transports().front() == "shm" || transports().front() == "tcp" ? 1 : 17;
    for (std::size_t length = 0; length <= 300; length += step) {
        const std::string content = noise(length);
        ASSERT_TRUE(through(content, settingsOf(64)) == content) << length << " bytes";
    }
}

// Relays pass blocks on and know no lengths.
INSTANTIATE_TEST_SUITE_P(Over, EveryLength,
                         ::testing::Combine(::testing::ValuesIn(everydayOf(transportsUnderTest())),
                                            ::testing::Values(1)),
                         hopName);
INSTANTIATE_TEST_SUITE_P(Thorough, EveryLength,
                         ::testing::Combine(::testing::ValuesIn(everydayOf(transportsUnderTest())),
                                            ::testing::Values(2, 3)),
                         hopName);
INSTANTIATE_TEST_SUITE_P(ThoroughOver, EveryLength,
                         ::testing::Combine(::testing::ValuesIn(furtherOf(transportsUnderTest())),
                                            ::testing::Values(1, 2, 3)),
                         hopName);

class MixedHops : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(MixedHops, PassBlocksOn) {
    const std::string content = noise((3U << 20) + 1);
    const UniqueFd input = fileWith(content);
    const UniqueFd output = fileWith("");
    Chain chain(GetParam(), settingsOf(64U << 10, 4, true), PipeInput(input.get(), "in"), output.get());
    EXPECT_EQ(chain.exitCodes(), std::vector<int>(GetParam().size() + 1, 0)) << chain.receiver().error();
    EXPECT_TRUE(contentOf(output.get()) == content);
}

INSTANTIATE_TEST_SUITE_P(Over, MixedHops,
                         ::testing::Values(std::vector<std::string>{"shm", "tcp"},
                                           std::vector<std::string>{"tcp", "shm"},
                                           std::vector<std::string>{"shm", "tcp", "shm"},
                                           std::vector<std::string>{"tcp", "shm", "shm"}),
                         [](const auto& hop) { return fmt::format("{}", fmt::join(hop.param, "_")); });

class PipePace : public TransportSuite {
  protected:
    Chain chainBetween(int input, int output) const {
        return Chain({GetParam(), GetParam()}, settingsOf(4096, 3, true), PipeInput(input, "in"), output);
    }
    KernelPipe in, out;
};

TEST_P(PipePace, EachByteComesAtOnce) {
    Chain chain = chainBetween(in.reading.get(), out.writing.get());
    for (const char byte : std::string("trickle")) {
        writeAll(in.writing.get(), std::string(1, byte));
        ASSERT_EQ(readSome(out.reading.get(), 1), std::string(1, byte));  // before the next is written
    }
    in.writing.reset();
    EXPECT_EQ(chain.exitCodes(), (std::vector<int>{0, 0, 0}));
}

TEST_P(PipePace, AReaderThatStallsHoldsTheWriterUpAndLosesNothing) {
    const std::string content = noise(4U << 20);
    std::atomic<std::size_t> written{0};
    Chain chain = chainBetween(in.reading.get(), out.writing.get());
    std::jthread writer([&] {
        for (std::size_t at = 0; at < content.size(); at += 4096, written = at) {
            writeAll(in.writing.get(), content.substr(at, 4096));
        }
        in.writing.reset();
    });
    chain.receiver().waitUntilFlowing();
    std::size_t before = 1;
    for (std::size_t now = 0; now != before; now = written) {  // until nothing moves
        before = now;
        std::this_thread::sleep_for(300ms);
    }
    EXPECT_LT(written, content.size());
    EXPECT_TRUE(readSome(out.reading.get(), content.size()) == content);
    EXPECT_EQ(chain.exitCodes(), (std::vector<int>{0, 0, 0}));
}

TEST_P(PipePace, ReadingOneByteAtATimeIsServed) {
    const std::string content = noise(20'000);
    const UniqueFd input = fileWith(content);
    Chain chain = chainBetween(input.get(), out.writing.get());
    std::string got;
    while (got.size() < content.size()) {
        got += readSome(out.reading.get(), 1);
    }
    EXPECT_EQ(got, content);
    EXPECT_EQ(chain.exitCodes(), (std::vector<int>{0, 0, 0}));
}

VERBCAST_OVER_TRANSPORTS(PipePace, transportsUnderTest());

class FanOut : public TransportSuite {};

TEST_P(FanOut, EveryReceiverGetsEverything) {
    const std::string content = noise((1U << 20) + 7);
    const UniqueFd input = fileWith(content);
    std::vector<UniqueFd> files;
    std::vector<std::unique_ptr<PipeOutput>> outputs;
    std::vector<std::unique_ptr<RunningPipe>> receivers;
    std::vector<PipeAddress> addresses;
    for (std::uint32_t i = 0; i < 3; ++i) {
        files.push_back(fileWith(""));
        outputs.push_back(std::make_unique<PipeOutput>(files.back().get(), "out"));
        receivers.push_back(std::make_unique<RunningPipe>(std::make_unique<PipeReceiver>(
            settingsOf(16384, 2 + 3 * i, i == 1), listeningOn(GetParam()), *outputs.back())));
        addresses.push_back(connectingTo(receivers.back()->address()));
    }
    RunningPipe sender(
        std::make_unique<PipeSender>(settingsOf(16384, 8), addresses, PipeInput(input.get(), "in")));
    EXPECT_EQ(sender.exitCode(), 0) << sender.error();
    for (std::size_t i = 0; i < receivers.size(); ++i) {
        EXPECT_EQ(receivers[i]->exitCode(), 0) << receivers[i]->error();
        EXPECT_TRUE(contentOf(files[i].get()) == content);
    }
}

TEST_P(FanOut, OneThatFailsEndsAll) {
    KernelPipe in;
    const UniqueFd kept = fileWith("");
    const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    PipeOutput good(kept.get(), "good");
    PipeOutput bad(full.get(), "bad");
    RunningPipe first(std::make_unique<PipeReceiver>(settingsOf(4096), listeningOn(GetParam()), good));
    RunningPipe second(std::make_unique<PipeReceiver>(settingsOf(4096), listeningOn(GetParam()), bad));
    RunningPipe sender(std::make_unique<PipeSender>(
        settingsOf(4096),
        std::vector<PipeAddress>{connectingTo(first.address()), connectingTo(second.address())},
        PipeInput(in.reading.get(), "in")));
    writeAll(in.writing.get(), "x");
    EXPECT_EQ(sender.exitCode(), static_cast<int>(ErrorKind::Resource)) << sender.error();
    EXPECT_EQ(first.exitCode(), static_cast<int>(ErrorKind::Resource)) << first.error();
    EXPECT_EQ(second.exitCode(), static_cast<int>(ErrorKind::Resource)) << second.error();
    EXPECT_TRUE(contains(first.error(), "No space left"));
}

// Over every transport: of the suites of pipes this one stands for all.
INSTANTIATE_TEST_SUITE_P(Over, FanOut, ::testing::ValuesIn(transportsUnderTest()), transportName);

}  // namespace
}  // namespace verbcast::testing
