// verbcast pipe stage, given by hand the orders that `pipe run` would give it.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <future>
#include <iterator>

#include "app/commands/pipe/run/stage_protocol.h"
#include "core/pipe/pipe_sender.h"
#include "tests/support/exit_codes.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

struct Ends {
    UniqueFd reading, writing;
};
Ends newPipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// Includes those that have ended and were not waited for.
std::ptrdiff_t childrenOf(pid_t parent) {
    std::ifstream children(fmt::format("/proc/{}/task/{}/children", parent, parent));
    return std::distance(std::istream_iterator<pid_t>(children), {});
}

class PipeStage : public ProgramTest {
  protected:
    void order(const StageOrder& what) const {
        const std::string line = encodeLine(what) + "\n";
        ASSERT_EQ(::write(orders_.writing.get(), line.data(), line.size()),
                  static_cast<ssize_t>(line.size()));
    }
    template <typename Report>
    Report report() {
        return std::get<Report>(decodeReport(stage_.line()));
    }

    Ends orders_ = newPipe();
    Verbcast stage_{{"pipe", "stage"}, home_, orders_.reading.get()};
};

// The previous stage was killed while the start order was on its way: the command read an empty input and
// took it for the whole.
TEST_F(PipeStage, NoCommandStartsOnceItsInputHasFailed) {
    report<StageHello>();
    StagePlan plan;
    plan.text = "cat; touch " + file("complete");
    plan.input = "tcp://127.0.0.1:0";
    plan.transfer.trust.key = NamedKey{kSharedKeyName, SessionKey::random()};
    order(plan);
    const std::string address = report<StageReady>().input.front();

    const Ends content = newPipe();
    PipeSender sender(plan.transfer, {PipeAddress{parseUrl(address), false}},
                      PipeInput(content.reading.get(), "content"));
    auto sending = std::async(std::launch::async, [&] { sender.run(); });
    while (!sender.status().flowing) {
        ASSERT_TRUE(waitReadable({sender.changed().descriptor()}, Deadline::in(kPatience)));
        sender.changed().clear();
    }
    sender.cancel();
    EXPECT_THROW(sending.get(), PipeStopped);
    EXPECT_TRUE(holds(report<StageFailed>().text, "the other end failed"));

    order(StageStart{});
    order(StageCommit{});
    EXPECT_TRUE(holds(report<StageFailed>().text, "not done")) << "so the start was seen before";
    EXPECT_EQ(childrenOf(stage_.pid()), 1) << "the guard";
    orders_.writing.reset();
    EXPECT_TRUE(endsWith(stage_, kNetwork));
    EXPECT_EQ(files_.names(), Arguments{});
}

}  // namespace
}  // namespace verbcast::testing
