#include "app/commands/relay/relay_command_line.h"

#include "core/base/error.h"

namespace verbcast {

RelayCommandLine::RelayCommandLine(Command& verbcast)
    : SendingCommandLine(verbcast, "relay", "Forward a stream from one connection to another") {
    command().remarks.text =
        "Frames are sent from the memory in which they arrived, sound as it came. Viewers' input is not "
        "forwarded.";
    command().remarks.examples =
        "verbcast relay verbs://render1 --listen tcp://:7000\n"
        "verbcast relay --from-listen --to wall";
    from_.takeRails();
    from_.add(list(), {"--from,URL", "Connect to the sender that listens there; URL,URL: over several rails"},
              {"--from-listen", "Wait here for the sender (without a value: every address, port 7423)"});
    addPeers();
    addSending(list(), options_);
    addPolicy(list(), options_,
              "lossless: wait for the slowest viewer; latest: drop frames that a viewer is too slow for "
              "(default: as "
              "the sender)");
    addMaxMemory(options_.maxMemory);
    addSession(list(), options_, options_.sender, options_.sender.slots);
    addRest(options_);
}

RelayOptions RelayCommandLine::finish() const {
    RelayOptions options = options_;
    if (!from_.given()) {
        throw Error(ErrorKind::Usage, "verbcast relay: where the stream comes from is missing",
                    "give --from URL to connect to the sender, or --from-listen to wait for it");
    }
    const SessionAddress from = from_.finish(false);
    SendingCommandLine::finish(options, from.listen, !from.listen);
    options.from = peerAt(from, options.sender.listen);
    return options;
}

}  // namespace verbcast
