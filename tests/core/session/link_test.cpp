// How a connection ends when its peer misbehaves until the last moment.
#include "core/session/link.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/transport/message_channel.h"

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
    try {
        link.run();
        ADD_FAILURE() << "it has not failed";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Resource);
        EXPECT_STREQ(error.what(), "no memory");
    }
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

}  // namespace
}  // namespace verbcast::testing
