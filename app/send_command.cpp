// verbcast send: a file, a pattern or raw frames.
#include "app/commands.h"
#include "app/host_check.h"
#include "app/interrupt.h"
#include "app/sending.h"
#include "capture/frame_source.h"

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
    source.slots = options.slots;
    source.decoderThreads = options.decoderThreads;
    return source;
}

}  // namespace

int runSend(const SendOptions& options) {
    checkHostExists(options);
    installInterruptHandler();
    return Sending(options, openSource(sourceOptions(options))).run();
}

}  // namespace verbcast
