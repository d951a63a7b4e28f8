// Two ends that connect: either may start first or listen; unknown peers are refused.
#include <gtest/gtest.h>

#include "core/stream/broadcast.h"
#include "tests/core/pipe/running_pipe.h"
#include "tests/support/raw_peer.h"
#include "tests/support/reserved_address.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class PipeEnds : public TransportSuite {
  protected:
    std::unique_ptr<RunningPipe> send(const PipeAddress& address) {
        return std::make_unique<RunningPipe>(
            std::make_unique<PipeSender>(settings_, std::vector{address}, PipeInput(input_.get(), "in")));
    }
    std::unique_ptr<RunningPipe> receive(const PipeAddress& address) {
        return std::make_unique<RunningPipe>(std::make_unique<PipeReceiver>(settings_, address, output_));
    }
    PipeSettings settings_ = settingsOf(4096);
    UniqueFd input_ = fileWith("hello");
    UniqueFd file_ = fileWith("");
    PipeOutput output_{file_.get(), "out"};
};

TEST_P(PipeEnds, TheSenderMayListen) {
    const auto sender = send(listeningOn(GetParam()));
    const auto receiver = receive(connectingTo(sender->address()));
    EXPECT_EQ(sender->exitCode(), 0) << sender->error();
    EXPECT_EQ(receiver->exitCode(), 0) << receiver->error();
    EXPECT_EQ(contentOf(file_.get()), "hello");
}

TEST_P(PipeEnds, TheConnectingEndMayComeFirst) {
    const ReservedAddress reserved(GetParam());
    PipeAddress address = listeningOn(GetParam());
    address.url = parseUrl(reserved.url());
    const auto sender = send({address.url, false});
    std::this_thread::sleep_for(100ms);  // it finds no peer
    const auto receiver = receive(address);
    EXPECT_EQ(sender->exitCode(), 0) << sender->error();
    EXPECT_EQ(receiver->exitCode(), 0) << receiver->error();
    EXPECT_EQ(contentOf(file_.get()), "hello");
}

TEST_P(PipeEnds, PatienceEnds) {
    settings_.patience = 50ms;
    PipeAddress nobody = listeningOn(GetParam());
    if (GetParam() != "shm") {
        nobody.url.port = 1;
    }
    nobody.listen = false;
    const auto sender = send(nobody);
    EXPECT_EQ(sender->exitCode(), static_cast<int>(ErrorKind::Network)) << sender->error();
    const auto receiver = receive(listeningOn(GetParam()));
    EXPECT_EQ(receiver->exitCode(), static_cast<int>(ErrorKind::Network)) << receiver->error();
    EXPECT_TRUE(contains(receiver->error(), "no sender connected"));
}

TEST_P(PipeEnds, TwoSendersRefuseEachOther) {
    const auto listening = send(listeningOn(GetParam()));
    const auto calling = send(connectingTo(listening->address()));
    EXPECT_EQ(calling->exitCode(), static_cast<int>(ErrorKind::Peer));
    EXPECT_TRUE(contains(calling->error(), "both sides are a pipe's sending end"));
    EXPECT_FALSE(listening->ended()) << "a wrong caller ends nothing";
    const auto receiver = receive(connectingTo(listening->address()));
    EXPECT_EQ(listening->exitCode(), 0) << listening->error();
    EXPECT_EQ(receiver->exitCode(), 0) << receiver->error();
}

TEST_P(PipeEnds, ASecondCallerIsToldThatThePipeIsTaken) {
    KernelPipe in;
    const auto receiver = receive(listeningOn(GetParam()));
    const std::string address = receiver->address();
    RunningPipe first(std::make_unique<PipeSender>(settings_, std::vector{connectingTo(address)},
                                                   PipeInput(in.reading.get(), "in")));
    first.waitUntilFlowing();
    settings_.patience = 0ms;
    std::string said = "does not answer";  // a receiver that is too busy may be asked again
    for (int trial = 0; trial < 20 && said.find("does not answer") != std::string::npos; ++trial) {
        const auto second = send(connectingTo(address));
        EXPECT_EQ(second->exitCode(), static_cast<int>(ErrorKind::Network)) << second->error();
        said = second->error();
    }
    EXPECT_TRUE(contains(said, "already has its other end"));
    in.writing.reset();
    EXPECT_EQ(first.exitCode(), 0) << first.error();
    EXPECT_EQ(receiver->exitCode(), 0) << receiver->error();
}

TEST_P(PipeEnds, APipeThatCallsAVideoSenderIsRefusedByName) {
    SenderOptions options;
    options.url = parseUrl(listenAddressFor(GetParam()));
    Broadcast video(options);
    const auto receiver = receive(connectingTo(video.listenAddresses().front()));
    EXPECT_EQ(receiver->exitCode(), static_cast<int>(ErrorKind::Peer));
    EXPECT_TRUE(contains(receiver->error(), "sends video"));
    EXPECT_TRUE(contains(receiver->error(), "receives a pipe"));
}

TEST_P(PipeEnds, AVideoSenderThatCallsAPipeIsRefusedByName) {
    const auto receiver = receive(listeningOn(GetParam()));
    SenderOptions options;
    options.url = parseUrl(receiver->address());
    options.listen = false;
    Broadcast video(options);
    const Error error = thrownBy([&] { static_cast<void>(video.waitForReceiver(10s, Event())); });
    EXPECT_EQ(error.kind(), ErrorKind::Peer);
    EXPECT_TRUE(contains(error.what(), "receives a pipe"));
    EXPECT_FALSE(receiver->ended());
}

TEST_P(PipeEnds, APeerWithoutTheKeyIsRefusedAndTheNextOneServed) {
    const SessionKey key = SessionKey::random();
    settings_.trust = {.key = NamedKey{kSharedKeyName, key}};
    const auto receiver = receive(listeningOn(GetParam()));
    const PipeAddress address = connectingTo(receiver->address());
    for (const auto& [wrong, words] : {std::pair{std::optional<SessionKey>(), "only one side has a key"},
                                       std::pair{std::optional(SessionKey::random()), "different keys"}}) {
        settings_.trust.key = wrong ? std::optional(NamedKey{kSharedKeyName, *wrong}) : std::nullopt;
        const auto stranger = send(address);
        EXPECT_EQ(stranger->exitCode(), static_cast<int>(ErrorKind::Peer));
        EXPECT_TRUE(contains(stranger->error(), words));
        EXPECT_FALSE(receiver->ended());
    }
    settings_.trust = {.key = NamedKey{kSharedKeyName, key}};
    const auto sender = send(address);
    EXPECT_EQ(sender->exitCode(), 0) << sender->error();
    EXPECT_EQ(receiver->exitCode(), 0) << receiver->error();
    EXPECT_EQ(contentOf(file_.get()), "hello");
}

TEST_P(PipeEnds, APeerWithAKeyRefusesOneWithout) {
    const auto receiver = receive(listeningOn(GetParam()));
    settings_.trust.key = NamedKey{kSharedKeyName, SessionKey::random()};
    const auto sender = send(connectingTo(receiver->address()));
    EXPECT_EQ(sender->exitCode(), static_cast<int>(ErrorKind::Peer));
    EXPECT_TRUE(contains(sender->error(), "only one side has a key: the one that calls"));
    EXPECT_FALSE(receiver->ended());
}

TEST_P(PipeEnds, AnInterruptEndsTheWait) {
    const auto receiver = receive(listeningOn(GetParam()));
    receiver->address();
    receiver->cancel();
    EXPECT_EQ(receiver->exitCode(), kInterruptedCode);
}

// Regression: the wait went on as long as the caller lived.
TEST_P(PipeEnds, AnInterruptEndsTheWaitForWhatACallerCameFor) {
    settings_.peerTimeout = 10min;
    const auto receiver = receive(listeningOn(GetParam()));
    RawPeer peer(parseUrl(receiver->address()));
    peer.greet(Role::PipeSender);
    ASSERT_TRUE(peer.serveUntil([&] { return peer.heard(MessageType::Ping); })) << "it is served";
    receiver->cancel();
    EXPECT_EQ(receiver->exitCode(), kInterruptedCode);
}

VERBCAST_OVER_TRANSPORTS(PipeEnds, transportsUnderTest());

}  // namespace
}  // namespace verbcast::testing
