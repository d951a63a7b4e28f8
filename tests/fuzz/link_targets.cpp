// Sequences of messages and frames against both ends of a stream and of a pipe, without a transport.
//
// A script: a byte of options, then acts.
//   0 message    a length (16 bits) and the message, including its type
//   1 frame      ring, slot (a byte each), and a FrameInfo (Script::takeInfo); where memory is not shared,
//                every second one makes the one before arrive
//   2 offer      an offer is ready; a byte: whether later ones are ready immediately
//   3 sent       one of our frames has left
//   4 and above  the program: its action and an argument (a byte each); see link_ends.cpp
#include "tests/fuzz/link_ends.h"
#include "tests/fuzz/memory_peer.h"

namespace verbcast::fuzz {
namespace {

constexpr std::uint8_t kShares = 1;
constexpr std::uint8_t kLossless = 2;
constexpr std::uint8_t kTakesInput = 4;

Progress play(Script& script, MemoryChannel& channel, MemoryPath& path, LinkEndUnderTest& end) {
    switch (script.byte() % 6) {
        case 0:
            channel.say(script.takeText());
            break;
        case 1: {
            const RingId ring = script.byte();
            const std::uint32_t slot = script.byte();
            path.frame(ring, slot, script.takeInfo());
            break;
        }
        case 2:
            path.finishOffer(script.flag());
            break;
        case 3:
            path.finishSending();
            break;
        default:
            end.actAs(script);
            return Progress::Idle;
    }
    return Progress::Worked;
}

void runOver(Script& script, bool shares, LinkEndUnderTest& end) {
    const auto channel = std::make_shared<MemoryChannel>();
    const auto path = std::make_shared<MemoryPath>(shares);
    expectErrors([&] {
        end.connect(peerOf(
            channel, path,
            [&script, &channel = *channel, &path = *path, &end] {
                if (script.done()) {
                    channel.hangUp("the peer hung up");
                    return Progress::Closed;
                }
                return play(script, channel, path, end);
            },
            end.peer()));
        end.serve();
        end.letGo();
    });
}

}  // namespace

FUZZ_TARGET(receiver_link) {
    Script script(input);
    const auto options = script.byte();
    ReceiverEnd end((options & kShares) != 0, (options & kTakesInput) != 0);
    runOver(script, (options & kShares) != 0, end);
}

FUZZ_TARGET(sender_link) {
    Script script(input);
    const auto options = script.byte();
    SenderEnd end((options & kLossless) != 0 ? Policy::Lossless : Policy::Latest,
                  (options & kTakesInput) != 0);
    runOver(script, (options & kShares) != 0, end);
}

FUZZ_TARGET(pipe_sink_link) {
    Script script(input);
    const bool shares = (script.byte() & kShares) != 0;
    PipeSinkEnd end(shares);
    runOver(script, shares, end);
}

FUZZ_TARGET(pipe_source_link) {
    Script script(input);
    const bool shares = (script.byte() & kShares) != 0;
    PipeSourceEnd end;
    runOver(script, shares, end);
}

}  // namespace verbcast::fuzz
