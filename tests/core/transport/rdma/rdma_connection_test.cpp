// An RDMA connection over a double of its port.
#include "core/transport/rdma/rdma_connection.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>

#include "tests/fuzz/double_port.h"

namespace verbcast::testing {
namespace {

using fuzz::DoublePort;

TEST(RdmaConnectionTest, APeerThatWasGivenUpIsNotWaitedFor) {
    const PortLimits limits{
        .sendDepth = 256, .receiveDepth = 256, .inlineBytes = 64, .largestWriteBytes = 4096};
    int polls = 0;
    auto made = std::make_unique<DoublePort>(
        limits, false, encodeGreeting({.messageCredits = 64, .largestWriteBytes = 4096}),
        [&polls] { ++polls; });
    DoublePort& port = *made;
    auto connection =
        std::make_unique<RdmaConnection>(std::move(made), ConnectionSide::Accepting,
                                         RdmaConnectionOptions{.scheme = "double", .immediates = true});
    const MessageHeader hello{.kind = MessageKind::Hello};
    port.arrive(std::as_bytes(std::span(&hello, 1)));
    ASSERT_TRUE(connection->handshake());
    const std::byte word{1};
    ASSERT_EQ(connection->send(std::span(&word, 1)), Status::Ok);
    polls = 0;
    connection->giveUpPeer();
    connection.reset();  // nothing of what it sends ever completes
    EXPECT_LE(polls, 2) << "its queue is looked at once more, and no longer";
}

}  // namespace
}  // namespace verbcast::testing
