#include "app/relay/relay_command_line.h"

#include <string>

#include "app/cli/option_values.h"
#include "core/base/error.h"

namespace verbcast {

RelayCommandLine::RelayCommandLine(CLI::App& app)
    : SendingCommandLine(app, "relay", "Forward a stream from one connection to another") {
    command().footer(
        "Frames are sent from the memory in which they arrived. Viewers' input is not forwarded.\n" +
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast relay verbs://render1 --listen tcp://:7000\n  verbcast relay --from-listen "
        "--to wall\n" +
        kFramesHelp + kExitCodeHelp);
    from_.takeRails();
    from_.add(command(),
              {"--from,URL", "Connect to the sender that listens there; URL,URL: over several rails"},
              {"--from-listen", "Wait here for the sender (without a value: every address, port 7423)"});
    addViewers(options_);
    addPolicy(
        "lossless: wait for the slowest viewer; latest: drop frames that a viewer is too slow for\n"
        "(default: as the sender)");
    addMaxMemory();
    addRest(options_);
}

RelayOptions RelayCommandLine::finish() const {
    RelayOptions options = options_;
    if (!from_.given()) {
        throw Error(ErrorKind::Usage, "verbcast relay: where the stream comes from is missing",
                    "give --from URL to connect to the sender, or --from-listen to wait for it");
    }
    const PeerAddress from = from_.finish(false);
    SendingCommandLine::finish(options, from.listen, !from.listen);
    options.from = peerAt(from, options.listen);
    return options;
}

}  // namespace verbcast
