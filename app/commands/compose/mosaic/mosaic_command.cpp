#include "app/commands/compose/mosaic/mosaic_command.h"

#include <memory>

#include "app/cli/peer_options.h"
#include "app/commands/compose/mosaic/mosaic_source.h"
#include "app/commands/send/sending.h"
#include "app/host/interrupt.h"

namespace verbcast {

int runMosaic(const MosaicOptions& options) {
    checkHostExists(options.sender);
    for (const std::string& input : options.inputs) {
        if (!isLocalInput(input)) {
            checkHostExists(parsePeer(input));
        }
    }
    installInterruptHandler();
    auto source = std::make_unique<MosaicSource>(options);
    SentBeside beside{.sound = source->soundBeside(options.policy.value_or(Policy::Latest))};
    return Sending(options, std::move(source), nullptr, std::move(beside)).run();
}

}  // namespace verbcast
