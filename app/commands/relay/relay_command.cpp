// verbcast relay: passes a stream from one connection to the next.
#include <fmt/format.h>

#include <memory>

#include "app/cli/peer_options.h"
#include "app/commands/relay/relay_command.h"
#include "app/commands/relay/relay_source.h"
#include "app/commands/send/sending.h"
#include "app/host/interrupt.h"

namespace verbcast {
namespace {

/// Options for the incoming stream; `options` themselves apply to viewers.
ReceiverOptions upstreamOptions(const RelayOptions& options) {
    ReceiverOptions receiver = receiverOptions(options.sender, options.from);
    receiver.maxMemory = options.maxMemory;
    receiver.endWithStream = true;
    receiver.further.resize(kSoundTrack, {.content = TrackContent::Nothing});
    receiver.further.back().content = TrackContent::Sound;
    return receiver;
}

}  // namespace

int runRelay(const RelayOptions& options) {
    checkHostExists(options.sender);
    checkHostExists(options.from);
    installInterruptHandler();
    auto source = std::make_unique<RelaySource>(upstreamOptions(options));
    {
        ProgressLine line(options.verbosity);
        if (!source->open(line, options.patience, interruptEvent())) {
            if (interruptEvent().isSet()) {
                return 130;
            }
            throw Error(ErrorKind::Network, "the sender left before its first frame");
        }
    }
    RelayOptions sending = options;
    sending.policy = options.policy.value_or(source->policy());
    SentBeside beside{.sound = source->soundBeside(*sending.policy)};
    return Sending(sending, std::move(source), nullptr, std::move(beside)).run();
}

}  // namespace verbcast
