#include "app/commands/compose/compose_command.h"

#include <memory>

#include "app/cli/peer_options.h"
#include "app/commands/compose/compose_source.h"
#include "app/commands/send/sending.h"
#include "app/host/interrupt.h"

namespace verbcast {
namespace {

ComposeSource::Options sourceOptions(const ComposeOptions& options) {
    ComposeSource::Options source;
    source.by = options.by;
    source.keepDepth = options.keepDepth;
    source.slots = options.sender.slots;
    for (const StreamPeer& part : options.parts) {
        source.parts.push_back(receiverOptions(options.sender, part));
        source.parts.back().maxMemory = options.maxMemory;
        source.parts.back().endWithStream = true;
    }
    return source;
}

}  // namespace

int runCompose(const ComposeOptions& options) {
    checkHostExists(options.sender);
    for (const StreamPeer& part : options.parts) {
        checkHostExists(part);
    }
    installInterruptHandler();
    auto source = std::make_unique<ComposeSource>(sourceOptions(options));
    {
        ProgressLine line(options.verbosity);
        if (!source->open(line, options.patience, interruptEvent())) {
            if (interruptEvent().isSet()) {
                return 130;
            }
            throw Error(ErrorKind::Network, "a sender left before its first frame");
        }
    }
    return Sending(options, std::move(source)).run();
}

}  // namespace verbcast
