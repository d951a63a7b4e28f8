// Somebody on the way, without a key, changes one byte: for every command that is a connection that was lost,
// and no more.
#include <gtest/gtest.h>

#include <fcntl.h>

#include <csignal>
#include <optional>

#include "tests/core/session/core_support.h"
#include "tests/support/meddler.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;
using Flip = Meddler::Flip;

/// The command that connects, through the meddler.
struct Meddled {
    friend std::ostream& operator<<(std::ostream& out, const Meddled& one) { return out << one.name; }
    std::string name;
    Arguments listening;   ///< at tcp://127.0.0.1:0
    Arguments connecting;  ///< followed by the meddler's address
};

class MeddlerTest : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        Verbcast key({"key", "new", file("key")}, home_);
        ASSERT_TRUE(endsWith(key, 0));
    }
    /// The words of a command, with the key after its name.
    Arguments keyed(Arguments words, std::size_t name = 1) const {
        const Arguments key{"--key-file", file("key"), "--timeout", "10"};
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(name), key.begin(), key.end());
        return words;
    }
};

class AMeddler : public MeddlerTest, public ::testing::WithParamInterface<Meddled> {};

TEST_P(AMeddler, WhoChangesAByteCutsTheConnectionAndNoMore) {
    Verbcast listening(keyed(GetParam().listening), home_);
    Meddler meddler(listening.listenAddress());
    Verbcast connecting(keyed(GetParam().connecting + Arguments{meddler.address()}), home_);
    ASSERT_TRUE(eventually([&] { return meddler.connections >= 2; })) << connecting.errors();
    std::optional<Verbcast> viewer;  // a relay forwards to somebody
    if (GetParam().name == "relay") {
        viewer.emplace(keyed({"view", "--headless", connecting.listenAddress()}), home_);
    }
    const auto flows = [&] {  // so much comes after the greeting
        meddler.bytes = 0;
        return eventually([&] { return meddler.bytes > 200'000; });
    };
    const auto cutBy = [&](std::atomic<Flip>& direction, Flip where) {
        ASSERT_TRUE(flows()) << connecting.errors();
        const int before = meddler.connections;
        direction = where;
        EXPECT_TRUE(eventually([&] { return meddler.connections >= before + 2; }))
            << "no other connection: " << connecting.errors() << listening.errors();
        direction = Flip::None;
    };
    for (std::atomic<Flip>* direction : {&meddler.toConnecting, &meddler.toListener}) {
        cutBy(*direction, Flip::Message);
        cutBy(*direction, Flip::MessageHead);
        if (GetParam().name == "relay") {
            continue;  // it meets its sender as a viewer does
        }
        for (const Flip first : {Flip::Opening, Flip::Greeting}) {
            const int flipped = meddler.flips;
            *direction = first;  // when they meet again
            auto& other = direction == &meddler.toListener ? meddler.toConnecting : meddler.toListener;
            cutBy(other, Flip::Message);
            EXPECT_TRUE(eventually([&] { return meddler.flips == flipped + 2; }));
            *direction = Flip::None;
        }
    }
    cutBy(GetParam().name == "send" ? meddler.toListener : meddler.toConnecting, Flip::FrameHead);
    ASSERT_TRUE(flows()) << "nothing flows afterwards";
    for (Verbcast* program : {&connecting, &listening}) {
        program->signal(SIGINT);
        const int code = program->waitForEnd().value_or(-1);
        EXPECT_TRUE(code == 130 || code == 0)
            << code << program->errors();  // 0: the sender has ended the stream
        EXPECT_EQ(program->errors().find("OpenSSL"), std::string::npos) << program->errors();
    }
}

/// A pipe cannot go on without what was under way: both ends say that the other is lost.
TEST_F(MeddlerTest, APipeWhoseBytesAreChangedIsLost) {
    for (const auto& [toListener, where] : {std::pair(false, Flip::Message), std::pair(true, Flip::Message),
                                            std::pair(true, Flip::FrameHead)}) {
        const UniqueFd zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC)),
            nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        Verbcast receiver(keyed({"pipe", "recv", "--listen", "tcp://127.0.0.1:0"}, 2), home_, -1,
                          nowhere.get());
        Meddler meddler(receiver.listenAddress());
        Verbcast sender(keyed({"pipe", "send", meddler.address()}, 2), home_, zeros.get());
        ASSERT_TRUE(eventually([&] { return meddler.bytes > 5'000'000; })) << sender.errors();
        (toListener ? meddler.toListener : meddler.toConnecting) = where;
        EXPECT_TRUE(endsWith(sender, 4));
        EXPECT_TRUE(endsWith(receiver, 4));
        EXPECT_EQ((sender.errors() + receiver.errors()).find("OpenSSL"), std::string::npos);
    }
}

const Arguments kPattern{"send", "pattern:counter", "--size", "64x64", "--format", "rgba", "--fps", "100"};
const std::string kAnywhere = "tcp://127.0.0.1:0";

INSTANTIATE_TEST_SUITE_P(
    Between, AMeddler,
    ::testing::Values(
        Meddled{"view", kPattern + Arguments{"--listen", kAnywhere}, {"view", "--headless"}},
        Meddled{"send", {"view", "--headless", "--listen", kAnywhere}, kPattern + Arguments{"--to"}},
        Meddled{"relay",
                kPattern + Arguments{"--listen", kAnywhere},
                {"relay", "--listen", "tcp://127.0.0.1:0", "--from"}}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace verbcast::testing
