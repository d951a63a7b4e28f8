// verbcast send: a file, a pattern, a camera, a screen, or what comes on stdin.
#include "app/send/send_command.h"
#include "app/cli/host_check.h"
#include "app/host/interrupt.h"
#include "app/send/sending.h"
#include "capture/frame_source.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

SourceOptions sourceOptions(const SendOptions& options) {
    SourceOptions source;
    source.source = options.source;
    source.pixelFormat = options.pixelFormat;
    source.width = options.width;
    source.height = options.height;
    if (options.pacing == Pacing::Rate) {
        source.frameRate = options.rate;
    }
    source.unpaced = options.pacing == Pacing::Max;
    source.loop = options.loop;
    source.start = options.start;
    source.length = options.length;
    source.slots = options.slots + (options.preview ? kPreviewSlots : 0);
    source.decoderThreads = options.decoderThreads;
    source.cancel = &interruptEvent();
    return source;
}

}  // namespace

int runSend(const SendOptions& options) {
    checkHostExists(options);
    installInterruptHandler();
    std::unique_ptr<FrameSource> source;
    try {
        source = openSource(sourceOptions(options));
    } catch (const Error&) {
        if (interruptEvent().isSet()) {
            return 130;  // nobody wants to know what did not come in time
        }
        throw;
    }
    return Sending(options, std::move(source)).run();
}

}  // namespace verbcast
