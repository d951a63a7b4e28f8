// One end fails: all ends report why, none hangs, and none reports success.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/core/pipe/running_pipe.h"
#include "tests/support/reserved_address.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr int kInput = static_cast<int>(ErrorKind::Input);
constexpr int kNetwork = static_cast<int>(ErrorKind::Network);
constexpr int kResource = static_cast<int>(ErrorKind::Resource);

/// Sender, relay and receiver between two kernel pipes.
class PipeFaults : public TransportSuite {
  protected:
    Chain chainBetween(int input, int output) const {
        return Chain({GetParam(), GetParam()}, settingsOf(4096, 3), PipeInput(input, "the input"), output);
    }
    std::vector<int> all(int code) const { return {code, code, code}; }
    KernelPipe in, out;
};

TEST_P(PipeFaults, AClosedOutputStopsTheSender) {
    const UniqueFd zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    Chain chain = chainBetween(zeros.get(), out.writing.get());
    EXPECT_EQ(readSome(out.reading.get(), 10'000).size(), 10'000U);
    out.reading.reset();
    EXPECT_EQ(chain.exitCodes(), all(kBrokenPipeCode)) << chain.sender().error();
}

TEST_P(PipeFaults, AClosedOutputStopsASenderThatHasNothingToSay) {
    Chain chain = chainBetween(in.reading.get(), out.writing.get());
    chain.sender().waitUntilFlowing();
    out.reading.reset();
    EXPECT_EQ(chain.exitCodes(), all(kBrokenPipeCode)) << chain.sender().error();
}

TEST_P(PipeFaults, AFullDiskIsToldToTheSenderWithWhatWasWritten) {
    const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    Chain chain = chainBetween(in.reading.get(), full.get());
    writeAll(in.writing.get(), "abc");
    EXPECT_EQ(chain.exitCodes(), all(kResource));
    EXPECT_TRUE(contains(chain.sender().error(), "No space left on device"));
    EXPECT_TRUE(contains(chain.sender().error(), "after 0 bytes"));
    EXPECT_TRUE(contains(chain.sender().error(), "the other end failed"));
}

TEST_P(PipeFaults, AnInputThatFailsIsToldToTheReceiver) {
    const UniqueFd broken(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC));  // nothing is mapped at its start
    Chain chain = chainBetween(broken.get(), out.writing.get());
    EXPECT_EQ(chain.exitCodes(), all(kInput));
    EXPECT_TRUE(contains(chain.receiver().error(), "Input/output error"));
}

TEST_P(PipeFaults, AFileThatBecomesShorterIsNoSuccessOrEndsThere) {
    const UniqueFd file = fileWith(std::string(8U << 20, 'x'));
    std::jthread reader;
    Chain chain = chainBetween(file.get(), out.writing.get());
    EXPECT_EQ(readSome(out.reading.get(), 10'000), std::string(10'000, 'x'));
    ASSERT_EQ(::ftruncate(file.get(), 20'000), 0);
    reader = std::jthread([this] { readSome(out.reading.get(), std::string::npos); });
    const std::vector<int> codes = chain.exitCodes();
    if (GetParam() == "tcp") {
        EXPECT_EQ(codes.front(), kInput)
            << chain.sender().error();  // it was mapped, so its length was a promise
        EXPECT_NE(codes.back(), 0);
    } else {
        EXPECT_EQ(codes, all(0)) << chain.receiver().error();
        EXPECT_LT(chain.sender().status().bytes, 8U << 20);
    }
    out.writing.reset();
}

TEST_P(PipeFaults, AnInterruptedSenderEndsAll) {
    Chain chain = chainBetween(in.reading.get(), out.writing.get());
    writeAll(in.writing.get(), "said before");
    EXPECT_EQ(readSome(out.reading.get(), 11), "said before");
    chain.sender().cancel();
    EXPECT_EQ(chain.exitCodes(), all(kInterruptedCode));
}

/// Waits until the pipe is full.
bool fills(const KernelPipe& pipe) {
    const Deadline deadline = Deadline::in(kPipePatience);
    pollfd room{pipe.writing.get(), POLLOUT, 0};
    while (::poll(&room, 1, 0) != 0 && !deadline.passed()) {
        std::this_thread::sleep_for(1ms);
    }
    return !deadline.passed();
}

TEST_P(PipeFaults, AnInterruptedReceiverEndsAllThoughItsOutputStalls) {
    const UniqueFd zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    Chain chain = chainBetween(zeros.get(), out.writing.get());
    readSome(out.reading.get(), 1);
    ASSERT_TRUE(fills(out));
    chain.receiver().cancel();
    EXPECT_EQ(chain.exitCodes(), all(kInterruptedCode));
}

TEST_P(PipeFaults, AnInterruptedRelayEndsAll) {
    Chain chain = chainBetween(in.reading.get(), out.writing.get());
    chain.sender().waitUntilFlowing();
    chain.relays().front()->cancel();
    EXPECT_EQ(chain.exitCodes(), all(kInterruptedCode));
}

VERBCAST_OVER_TRANSPORTS(PipeFaults, transportsUnderTest());

/// The other end in a child process, forked before this one has threads, and killed at some point.
class Killed : public TransportSuite {
  protected:
    ~Killed() override {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }
    template <typename Body>
    void fork(Body&& body) {
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            try {
                body();
            } catch (const std::exception&) {
            }
            ::_exit(0);
        }
    }
    void kill() const { ::kill(pid_, SIGKILL); }

  private:
    pid_t pid_ = -1;
};

TEST_P(Killed, ASenderThatDiesIsNoSuccess) {
    const ReservedAddress reserved(GetParam());
    const Url url = parseUrl(reserved.url());
    fork([&] {
        const UniqueFd zeros(::open("/dev/zero", O_RDONLY));
        PipeSender(settingsOf(65536), {{url, false}}, PipeInput(zeros.get(), "zeros")).run();
    });
    const UniqueFd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    PipeOutput output(nowhere.get(), "out");
    RunningPipe receiver(std::make_unique<PipeReceiver>(settingsOf(65536), PipeAddress{url, true}, output));
    receiver.waitUntilMoved(1U << 20);
    kill();
    EXPECT_EQ(receiver.exitCode(), kNetwork) << receiver.error();
    EXPECT_TRUE(contains(receiver.error(), "was lost after"));
}

TEST_P(Killed, AReceiverThatDiesIsNoSuccess) {
    const ReservedAddress reserved(GetParam());
    const Url url = parseUrl(reserved.url());
    fork([&] {
        const UniqueFd nowhere(::open("/dev/null", O_WRONLY));
        PipeOutput output(nowhere.get(), "out");
        PipeReceiver(settingsOf(65536), {url, true}, output).run();
    });
    const UniqueFd zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    RunningPipe sender(std::make_unique<PipeSender>(settingsOf(65536), std::vector<PipeAddress>{{url, false}},
                                                    PipeInput(zeros.get(), "zeros")));
    sender.waitUntilMoved(1U << 20);
    kill();
    EXPECT_EQ(sender.exitCode(), kNetwork) << sender.error();
}

VERBCAST_OVER_TRANSPORTS(Killed, transportsForTheKilled());

}  // namespace
}  // namespace verbcast::testing
