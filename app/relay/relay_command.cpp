// verbcast relay: a stream from one connection to the next.
#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/host_check.h"
#include "app/interrupt.h"
#include "app/relay/relay_source.h"
#include "app/sending.h"
#include "core/base/log.h"

namespace verbcast {
namespace {

ReceiverOptions receiverOptions(const RelayOptions& options) {
    ReceiverOptions receiver;
    receiver.url = options.from;
    receiver.listen = options.acceptSender;
    receiver.trust = options.trust;
    receiver.slots = options.slots;
    receiver.maxMemory = options.maxMemory;
    receiver.poll = options.poll;
    receiver.reconnect = !options.once;
    receiver.endWithStream = true;
    return receiver;
}

}  // namespace

int runRelay(const RelayOptions& options) {
    checkHostExists(options);
    checkHostExists(options.from, options.acceptSender);
    installInterruptHandler();
    auto source = std::make_unique<RelaySource>(receiverOptions(options));
    const RelaySource& relay = *source;
    {
        ProgressLine line(options.verbosity);
        if (!source->open(line, interruptEvent())) {
            if (interruptEvent().isSet()) {
                return 130;
            }
            throw Error(ErrorKind::Network, "the sender left before its first frame");
        }
    }
    Sending sending(options, std::move(source));
    const int code = sending.run();
    if (code == 0 && relay.wasLost()) {
        log().error("the sender was lost");
        return static_cast<int>(ErrorKind::Network);
    }
    return code;
}

}  // namespace verbcast
