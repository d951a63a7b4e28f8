#include "app/commands/view/view_command.h"

#include <csignal>

#include "app/cli/peer_options.h"
#include "app/commands/view/headless_stream.h"
#include "app/commands/view/headless_streams.h"
#include "app/host/interrupt.h"
#include "core/base/os/whole_file.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"

namespace verbcast {
namespace {

int viewOne(const ViewOptions& options) {
    SharedProgress progress(options.verbosity);
    // Check the outputs before anything is received.
    checkWritable(options.statsJson);
    StreamOutputs outputs = openOutputs(options, 0);
    const auto frameLock = options.sync ? std::make_unique<FrameLockStream>(options.receiver.slots) : nullptr;
    if (const std::string text = openingText(options, options.peers.front()); !text.empty()) {
        progress.line.state(text);
    }
    HeadlessStream stream(options, StreamProgress(progress, ""),
                          openStream(options, options.peers.front(), frameLock.get()), frameLock.get());
    StreamOutcome outcome;
    try {
        outcome = stream.run(std::move(outputs));
    } catch (...) {
        outcome = stream.failed();
    }
    writeViewStats(options, {{.number = 1, .name = "", .stats = outcome.stats, .exitReason = outcome.reason}},
                   outcome.reason);
    return outcome.exitCode;
}

}  // namespace

int runHeadlessView(const ViewOptions& given) {
    ViewOptions options = given;
    if (options.memory == PictureMemory::Device) {
        options.receiver.device = gpuAllocator(chosenGpu());
    }
    for (const StreamPeer& peer : peersOf(options)) {
        checkHostExists(peer);
    }
    installInterruptHandler();
    const int code = options.streams == 1 ? viewOne(options) : HeadlessStreams(options).run();
    if (code == StreamOutcome::kBySigpipe) {
        // The sender has our goodbye: now end as a pipe's writer does when its reader is gone.
        ::signal(SIGPIPE, SIG_DFL);
        ::raise(SIGPIPE);
    }
    return code;
}

}  // namespace verbcast
