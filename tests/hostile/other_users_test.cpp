// Another user of this machine listens where a command connects: it gets nothing, and the command says so.
#include <gtest/gtest.h>

#include "core/session/greeting/session_acceptor.h"
#include "tests/core/session/core_support.h"
#include "tests/support/another_user.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

struct Caller {
    friend std::ostream& operator<<(std::ostream& out, const Caller& one) { return out << one.name; }
    std::string name;
    Arguments command;  ///< followed by the address
    Role listener;
};

class OtherUsers : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (::geteuid() != 0) {
            GTEST_SKIP() << "only root can be another user, too";
        }
    }
    const ReservedAddress address_{"tcp"};
};

class OfOtherUsers : public OtherUsers, public ::testing::WithParamInterface<Caller> {};

TEST_P(OfOtherUsers, NobodyIsServedUnasked) {
    Verbcast caller(GetParam().command + Arguments{address_.url()}, home_);
    const AnotherUser other;
    HandshakeOptions options;
    options.role = GetParam().listener;
    options.trust.open = true;
    SessionAcceptor acceptor(parseUrl(address_.url()), {}, options);
    std::vector<PeerConnection> peers;  // kept: who hangs up is called again
    EXPECT_TRUE(eventually([&] {
        if (auto peer = acceptor.next([](const Hello&, const PeerTrust&) { return std::nullopt; })) {
            peers.push_back(std::move(*peer));
        }
        return !caller.running();
    })) << caller.errors();
    EXPECT_TRUE(endsWith(caller, 6));
    EXPECT_TRUE(holds(caller.errors(), "that answers on this machine belongs to another user"));
    EXPECT_TRUE(holds(caller.errors(), "--open"));
}

INSTANTIATE_TEST_SUITE_P(
    Callers, OfOtherUsers,
    ::testing::Values(Caller{"view", {"view", "--headless"}, Role::Sender},
                      Caller{"send", {"send", "pattern", "--size", "64x64", "--to"}, Role::Receiver},
                      Caller{"relay", {"relay", "--listen", "shm://other-users", "--from"}, Role::Sender},
                      Caller{"pipe", {"pipe", "recv"}, Role::PipeSender}),
    [](const auto& each) { return each.param.name; });

TEST_F(OtherUsers, AreAcceptedByThoseWhoAreOpen) {
    Verbcast viewer({"view", "--headless", "--frames", "3", "--open", address_.url()}, home_);
    const AnotherUser other;
    SenderOptions options;
    options.url = parseUrl(address_.url());
    options.trust.open = true;
    Broadcast sender(options);
    TestSource source(tightFormat(64, 48, PixelFormat::rgba), 8);
    EXPECT_TRUE(eventually([&] {
        static_cast<void>(source.send(sender));
        return !viewer.running();
    })) << viewer.errors();
    EXPECT_TRUE(endsWith(viewer, 0));
}

}  // namespace
}  // namespace verbcast::testing
