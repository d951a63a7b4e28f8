// Failures without malice: no peer, no such device, too little memory, a peer that dies.
#include <future>

#include "core/base/os/clock.h"
#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/rdma/verbs/verbs_options.h"
#include "tests/core/transport/rdma/verbs_device.h"
#include "tests/support/child_process.h"

namespace verbcast::testing {
namespace {

class VerbsFailure : public VerbsTest {
  protected:
    /// The error of connecting to `target`; fails the test if there is none.
    static std::optional<Error> connectError(const Url& target,
                                             std::chrono::milliseconds timeout = kPatience) {
        const Event cancel;
        try {
            connectVerbs(target, {}, timeout, cancel);
        } catch (const Error& error) {
            return error;
        }
        ADD_FAILURE() << "connected to " << target.text();
        return std::nullopt;
    }
};

TEST_F(VerbsFailure, nobodyListeningIsSaidAtOnce) {
    const TimestampNs start = nowNs();
    const auto error = connectError(url(9));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::Network);
    EXPECT_NE(std::string(error->what()).find("nobody is listening"), std::string::npos) << error->what();
    EXPECT_LT(nowNs() - start, 10'000'000'000) << "it was rdma_cm's patience that ended, not a refusal";
}

TEST_F(VerbsFailure, aHostThatDoesNotAnswerEndsAtOurDeadline) {
    // The neighbour does not exist: address resolution would take seconds, connecting a minute.
    Url target = url(7423);
    target.host = device_.host.substr(0, device_.host.rfind('.')) + ".199";
    const TimestampNs start = nowNs();
    const auto error = connectError(target, std::chrono::milliseconds(300));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::Network) << error->what();
    EXPECT_NE(std::string(error->what()).find(".199"), std::string::npos) << error->what();
    EXPECT_LT(nowNs() - start, 20'000'000'000);
}

TEST_F(VerbsFailure, connectingCanBeCancelled) {
    Url target = url(7423);
    target.host = device_.host.substr(0, device_.host.rfind('.')) + ".198";
    const Event cancel;
    cancel.notify();
    EXPECT_FALSE(connectVerbs(target, {}, kPatience, cancel));
}

TEST_F(VerbsFailure, anUnknownHostIsNamed) {
    const auto error = connectError(parseUrl("verbs://no-such-host.invalid:7423"));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::Network);
    EXPECT_NE(std::string(error->what()).find("no-such-host.invalid"), std::string::npos);
}

TEST_F(VerbsFailure, anAddressWithoutADeviceIsNoListeningPlace) {
    try {
        listenVerbs(parseUrl("verbs://203.0.113.77:0"), {});
        FAIL() << "listening";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Network) << error.what();
        EXPECT_NE(std::string(error.what()).find("203.0.113.77"), std::string::npos) << error.what();
    }
}

TEST_F(VerbsFailure, aTakenPortIsNamed) {
    const auto first = listenVerbs(url(0), {});
    try {
        listenVerbs(url(portOf(*first)), {});
        FAIL() << "listening twice";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Network);
        EXPECT_NE(std::string(error.what()).find(std::to_string(portOf(*first))), std::string::npos)
            << error.what();
        EXPECT_FALSE(error.remedy().empty());
    }
}

TEST_F(VerbsFailure, anUnknownDevicePortOrGidNamesWhatExists) {
    for (const std::string choice : {"device=mlx9_9", "port=77", "gid=200"}) {
        const auto error = connectError(parseUrl("verbs://" + device_.host + ":7423?" + choice));
        ASSERT_TRUE(error);
        EXPECT_EQ(error->kind(), ErrorKind::Device) << choice << ": " << error->what();
        EXPECT_NE(error->remedy().find(device_.name), std::string::npos) << error->remedy();
    }
}

TEST_F(VerbsFailure, theGidOfTheAddressIsAcceptedByIndex) {
    for (const RdmaDevice& device : rdmaDevices()) {
        for (const RdmaGid& gid : device.ports.at(0).gids) {
            if (device.name == device_.name && gid.gid.find(":ffff:") != std::string::npos &&
                gid.type == "RoCE v2") {
                const auto pair = connectPair(url(0), "&port=1&gid=" + std::to_string(gid.index));
                EXPECT_NE(pair->source.messages()->description().detail.find(
                              "GID " + std::to_string(gid.index) + " RoCE v2"),
                          std::string::npos)
                    << pair->source.messages()->description().detail;
                return;
            }
        }
    }
    GTEST_SKIP() << "NOT TESTED: " << device_.name << " has no RoCE v2 GID for an IPv4 address";
}

TEST_F(VerbsFailure, tooLittleLockableMemoryNamesTheLimitAndTheLine) {
    ChildProcess child({"/proc/self/exe", "--register-with-little-memory"});
    EXPECT_EQ(child.waitForEnd(), 0) << child.errors();
    const std::string text = child.output();
    EXPECT_NE(text.find("resource: "), std::string::npos) << text;
    EXPECT_NE(text.find("RLIMIT_MEMLOCK is 8 MiB"), std::string::npos) << text;
    EXPECT_NE(text.find("memlock unlimited"), std::string::npos) << text;
}

TEST_F(VerbsFailure, aKilledPeerIsNoticed) {
    auto listener = listenVerbs(url(0), {});
    const auto trial = [&] {
        ChildProcess child({"/proc/self/exe", "--stream-for-ever", url(portOf(*listener)).text()});
        End sink;
        sink.adopt(acceptOne(*listener));
        const auto pool = makePool(1 << 20, 2);
        if (!sink.connection) {
            ADD_FAILURE() << "no connection";
            return 0.0;
        }
        sink.offer(1, pool);
        EXPECT_TRUE(drive({&sink}, [&] { return sink.seen.frames.size() >= 4; })) << sink.closeReason();
        child.kill();
        const TimestampNs killed = nowNs();
        EXPECT_TRUE(drive({&sink}, [&] { return sink.closed; }));
        const double seconds = static_cast<double>(nowNs() - killed) / 1e9;
        std::cout << "noticed after " << seconds << " s: " << sink.closeReason() << "\n";
        EXPECT_EQ(sink.closeReason(), "the peer disconnected");
        EXPECT_EQ(sink.send("anybody?"), Status::Closed);
        return seconds;
    };
    EXPECT_LT(quickest(1.0, trial), 1.0);
}

TEST_F(VerbsFailure, devicesAreListed) {
    bool found = false;
    for (const RdmaDevice& device : rdmaDevices()) {
        if (device.name != device_.name) {
            continue;
        }
        found = true;
        ASSERT_FALSE(device.ports.empty());
        const RdmaPort& port = device.ports[0];
        EXPECT_EQ(port.number, 1);
        EXPECT_EQ(port.state, "ACTIVE");
        EXPECT_GE(port.maxMessageBytes, 1U << 20);
        EXPECT_GT(port.linkGigabits, 0);
        EXPECT_FALSE(port.gids.empty());
        EXPECT_EQ(device.transport, device_.immediates ? "InfiniBand/RoCE" : "iWARP");
    }
    EXPECT_TRUE(found);
    EXPECT_TRUE(rdmaCoreVersion().starts_with("rdma-core ")) << rdmaCoreVersion();
    EXPECT_NE(verbsTransport().availability().reason.find(device_.name), std::string::npos)
        << verbsTransport().availability().reason;
}

/// Removes the device: runs separately, in a virtual machine. The kernel waits until every process has
/// released it, which the child must do while it runs.
class DeviceRemoval : public VerbsTest {
  protected:
    void SetUp() override {
        if (std::getenv("VERBCAST_GUEST_HOST") == nullptr) {
            GTEST_SKIP() << "NOT TESTED: it would take this machine's device away";
        }
        VerbsTest::SetUp();
    }
    /// Removes the device while the child uses it, and adds it again. The kernel waits for the child.
    void expectLetGo(ChildProcess& child) const {
        ChildProcess removal({"rdma", "link", "delete", device_.name});
        const auto code = removal.waitForEnd();
        EXPECT_EQ(code, 0) << "the device is kept";
        if (!code) {
            child.kill();
            removal.waitForEnd();
        }
        EXPECT_TRUE(child.running());
        ASSERT_EQ(std::system(("rdma link add " + device_.name + " type rxe netdev eth0").c_str()), 0);
        for (const Deadline deadline = Deadline::in(kPatience); !testDevice() && !deadline.passed();) {
            waitReadable({}, std::chrono::milliseconds(100));  // nothing announces its first address
        }
    }
};

TEST_F(DeviceRemoval, isHeardByAListenerOnAllAddressesThatHasNoViewerAnyMore) {
    ChildProcess child({"/proc/self/exe", "--wait-idly"});
    ASSERT_EQ(child.line(), "idle") << child.errors();
    expectLetGo(child);
}

TEST_F(DeviceRemoval, isHeardWhileAConnectionIsBeingMade) {
    ChildProcess child({"/proc/self/exe", "--call-without-an-answer"});
    ASSERT_EQ(child.line(), "calling") << child.errors();
    expectLetGo(child);
    const std::string why = child.line();
    EXPECT_NE(why.find("the RDMA device was removed"), std::string::npos) << why;
}

/// Not with a peer that takes packets without answering: after the last user rxe itself then waits for its
/// last packets, for most of a minute.
TEST_F(DeviceRemoval, isHeardByACallerWhosePeerHasNoAddress) {
    const std::string nobody = device_.host.substr(0, device_.host.rfind('.')) + ".199";
    ChildProcess child(
        {"/proc/self/exe", "--call-again-and-again", "verbs://" + nobody + ":7423?device=" + device_.name});
    const std::string why = child.line();
    ASSERT_NE(why.find(nobody), std::string::npos) << why << child.errors();
    expectLetGo(child);
}

TEST_F(DeviceRemoval, isLetGoAtOnceAndUsedAgainWhenItIsBack) {
    ChildProcess child({"/proc/self/exe", "--connect-over-a-removal", url(0).text()});
    ASSERT_EQ(child.line(), "connected");
    ASSERT_EQ(std::system(("timeout 30 rdma link delete " + device_.name).c_str()), 0);
    EXPECT_EQ(child.line(), "the RDMA device " + device_.name + " was removed");
    EXPECT_EQ(child.line(), "listener: device");
    EXPECT_EQ(child.line(), "listener: device");
    EXPECT_TRUE(rdmaDevices().empty());
    EXPECT_EQ(verbsTransport().availability().reason, "no RDMA device");
    try {
        listenVerbs(parseUrl("verbs://:0"), {});
        FAIL() << "listening";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device) << error.what();
        EXPECT_FALSE(error.remedy().empty());
    }
    ASSERT_EQ(std::system(("rdma link add " + device_.name + " type rxe netdev eth0").c_str()), 0);
    EXPECT_EQ(child.line(), "connected again");
}

}  // namespace
}  // namespace verbcast::testing
