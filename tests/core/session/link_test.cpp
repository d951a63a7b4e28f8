// How a connection ends when its peer misbehaves until the last moment, and who learns of an exception on its
// thread.
#include "core/session/link.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <new>
#include <stdexcept>

#include "core/base/error.h"
#include "core/session/link_runner.h"
#include "core/transport/message_channel.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

/// A peer's fault shows up whenever anything is sent or flushed.
class SpoiltChannel final : public TransportChannel {
  public:
    const ConnectionDescription& description() const override { return description_; }
    void setHandler(MessageHandler*) override {}
    int waitDescriptor() const override { return -1; }
    Progress process() override { return Progress::Idle; }
    bool readyToSleep() override { throwFault(); }
    std::uint64_t bytesReceived() const override { return 0; }
    Status send(std::span<const std::byte>) override { throwFault(); }
    bool hasRoomToSpare() const override { return true; }
    void close() override {
        closed = true;
        throwFault();
    }
    const std::string& closeReason() const override { return reason_; }

    bool closed = false;

  private:
    [[noreturn]] static void throwFault() {
        throw Error(ErrorKind::Peer, "the peer has read more than was written");
    }
    const ConnectionDescription description_{"memory", "here", "there", PeerPlace::ThisUser, ""};
    const std::string reason_;
};

class SpoiltLink final : public Link {
  public:
    SpoiltLink(const std::shared_ptr<MessageChannel>& channel, std::function<void()> fail)
        : Link({.connection = {channel, nullptr}, .hello = {}, .reason = ""}, {}), fail_(std::move(fail)) {}

  private:
    void onReady() override { fail_(); }
    bool onSessionMessage(MessageType, ByteReader&) override { return true; }
    bool moveOn() override { return false; }

    const std::function<void()> fail_;
};

TEST(LinkTest, AFailureOfOurOwnIsNotHiddenByAFaultOfThePeers) {
    const auto channel = std::make_shared<SpoiltChannel>();
    SpoiltLink link(channel, [] { throw Error(ErrorKind::Resource, "no memory"); });
    const Error error = thrownBy([&] { link.run(); });
    EXPECT_EQ(error.kind(), ErrorKind::Resource);
    EXPECT_STREQ(error.what(), "no memory");
    EXPECT_TRUE(channel->closed);
}

TEST(LinkTest, APeersFirstFaultIsTheReason) {
    const auto channel = std::make_shared<SpoiltChannel>();
    SpoiltLink link(channel, [] { throw Error(ErrorKind::Peer, "the peer sent a wrong slot"); });
    const SessionEnd end = link.run();
    EXPECT_EQ(end.kind, SessionEnd::Kind::Broken);
    EXPECT_EQ(end.reason, "the peer sent a wrong slot");
    EXPECT_TRUE(channel->closed);
}

struct FailingLink {
    std::function<SessionEnd()> serve;
    SessionEnd run() { return serve(); }
};

template <typename Failure>
void expectKept(const Failure& failure) {
    std::promise<void> told;
    auto link = std::make_unique<FailingLink>();
    link->serve = [&]() -> SessionEnd { throw failure; };
    LinkRunner<FailingLink> runner(std::move(link), [&](LinkRunner<FailingLink>& ended) {
        EXPECT_FALSE(ended.ended()) << "not before what follows is seen by all";
        ended.conclude();
        told.set_value();
    });
    ASSERT_EQ(told.get_future().wait_for(kLimit), std::future_status::ready);
    EXPECT_TRUE(runner.ended());
    EXPECT_EQ(runner.end().kind, SessionEnd::Kind::Failed);
    EXPECT_EQ(runner.end().reason, failure.what());
    ASSERT_TRUE(runner.end().failure);
    EXPECT_THROW(std::rethrow_exception(runner.end().failure), Failure);
}

TEST(LinkRunner, KeepsWhateverWasThrown) {
    expectKept(std::bad_alloc());
    expectKept(std::length_error("too long"));
    expectKept(Error(ErrorKind::Resource, "no memory"));
}

}  // namespace
}  // namespace verbcast::testing
