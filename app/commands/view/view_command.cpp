#include "app/commands/view/view_command.h"

#include <csignal>

#include "app/cli/peer_options.h"
#include "app/commands/view/headless_streams.h"
#include "app/host/interrupt.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"

namespace verbcast {

int runHeadlessView(const ViewOptions& given) {
    ViewOptions options = given;
    if (options.memory == PictureMemory::Device) {
        options.receiver.device = gpuAllocator(chosenGpu());
    }
    for (const StreamPeer& peer : peersOf(options)) {
        checkHostExists(peer);
    }
    installInterruptHandler();
    const int code = HeadlessStreams(options).run();
    if (code == StreamOutcome::kBySigpipe) {
        // The sender has our goodbye: now end as a pipe's writer does when its reader is gone.
        ::signal(SIGPIPE, SIG_DFL);
        ::raise(SIGPIPE);
    }
    return code;
}

}  // namespace verbcast
