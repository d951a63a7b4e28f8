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
    return Sending(options, std::make_unique<MosaicSource>(options)).run();
}

}  // namespace verbcast
