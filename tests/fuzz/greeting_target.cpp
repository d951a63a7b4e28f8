// Both sides of the greeting, with and without a key. A script: a byte of options (1: listening, 2: with a
// key), then messages, each a length (16 bits) and bytes.
#include "core/session/greeting/peer_connection.h"
#include "tests/fuzz/memory_peer.h"
#include "tests/fuzz/scripted_channel.h"

namespace verbcast::fuzz {

FUZZ_TARGET(greeting) {
    Script script(input);
    const auto options = script.byte();
    HandshakeOptions handshake;
    handshake.role = Role::Receiver;
    handshake.name = "fuzz";
    handshake.instance = 1;
    if ((options & 2) != 0) {
        handshake.trust.key = NamedKey{
            kSharedKeyName, SessionKey::fromSecret("a secret that is long enough to be one", "the fuzzer")};
    }
    const auto channel = std::make_shared<MemoryChannel>();
    const auto act = [&] {
        if (script.done()) {
            channel->hangUp("the peer hung up");
            return Progress::Closed;
        }
        channel->say(script.takeText());
        return Progress::Worked;
    };
    expectErrors([&] {
        const auto path = std::make_shared<MemoryPath>(false);
        Greeting greeting({std::make_shared<ScriptedChannel>(channel, path, act), path}, handshake,
                          (options & 1) != 0 ? Side::Listening : Side::Connecting);
        Handshake::State state = Handshake::State::Talking;
        while (state == Handshake::State::Talking) {
            state = greeting.serve();
        }
        if (state == Handshake::State::Asked) {
            greeting.admit();
        }
        if (greeting.ready()) {
            require(!handshake.trust.key, "a peer without the key was let in");
            static_cast<void>(greeting.take());
        } else if (state == Handshake::State::Over) {
            static_cast<void>(greeting.lingers());
        }
    });
}

}  // namespace verbcast::fuzz
