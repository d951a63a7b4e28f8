// A pipe's sender that stops within a block and then breaks the protocol: the memory that it was writing into
// outlives the block.
#include "core/session/messages/messages.h"
#include "tests/core/pipe/running_pipe.h"
#include "tests/support/raw_tcp_peer.h"

namespace verbcast::testing {
namespace {

TEST(HalfBlock, ASecondOfferInTheMiddleOfABlockIsRefused) {
    const UniqueFd file = fileWith("");
    PipeOutput output(file.get(), "out");
    RunningPipe receiver(std::make_unique<PipeReceiver>(settingsOf(1 << 20), listeningOn("tcp"), output));
    RawTcpPeer peer(parseUrl(receiver.address()));
    peer.greet(Role::PipeSender);
    peer.say(PipeOffer{1 << 20, 4, false, {}});
    ASSERT_TRUE(peer.hearUntil([&] { return !peer.credits.empty(); }));
    FrameInfo info;
    info.payloadBytes = 1 << 20;
    peer.beginFrame(peer.ring, peer.credits.front(), info, info.payloadBytes / 2);
    peer.say(PipeOffer{64U << 20, 4, false, {}});
    EXPECT_TRUE(contains(peer.refusal(), "twice"));
    for (int piece = 0; piece < 128 && peer.sendPayload(4096); ++piece) {
    }
    EXPECT_EQ(receiver.exitCode(), static_cast<int>(ErrorKind::Peer)) << receiver.error();
    EXPECT_EQ(contentOf(file.get()), "");
}

}  // namespace
}  // namespace verbcast::testing
