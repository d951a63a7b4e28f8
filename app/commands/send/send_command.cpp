// verbcast send: sends a file, a pattern, a camera, a screen or stdin; or several of them.
#include "app/commands/send/send_command.h"

#include "app/cli/peer_options.h"
#include "app/commands/send/sending.h"
#include "app/commands/send/sending_streams.h"
#include "app/host/interrupt.h"
#include "capture/frame_source.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

SourceOptions sourceOptions(const SendOptions& options, const std::string& from) {
    SourceOptions source = options.source;
    source.source = from;
    if (options.size) {
        source.width = options.size->width;
        source.height = options.size->height;
    }
    if (options.pacing == Pacing::Rate) {
        source.frameRate = options.rate;
    }
    source.unpaced = options.pacing == Pacing::Max;
    source.slots = options.sender.slots + (options.sender.preview ? kPreviewSlots : 0);
    source.memory = options.memory;
    source.whyHost = options.whyHost;
    source.cancel = &interruptEvent();
    return source;
}

/// Returns null if interrupted: an error of a source that was still opening no longer matters.
std::unique_ptr<FrameSource> openUnlessInterrupted(const SourceOptions& options) {
    try {
        return openSource(options);
    } catch (const Error&) {
        if (interruptEvent().isSet()) {
            return nullptr;
        }
        throw;
    }
}

/// Opens all sources before waiting for viewers: a missing one is reported at once. Empty if interrupted.
std::vector<std::unique_ptr<FrameSource>> openAll(const SendOptions& options) {
    const TimestampNs zero = nowNs();
    std::vector<std::unique_ptr<FrameSource>> sources;
    for (const std::string& from : options.sources) {
        SourceOptions source = sourceOptions(options, from);
        source.ptsZero = zero;
        sources.push_back(openUnlessInterrupted(source));
        if (!sources.back()) {
            return {};
        }
    }
    return sources;
}

int runStereo(const SendOptions& options) {
    auto eyes = openAll(options);
    return eyes.empty() ? 130
                        : Sending(options, std::move(eyes.front()), nullptr,
                                  std::make_unique<SecondEye>(std::move(eyes.back())))
                              .run();
}

int runSeveral(const SendOptions& options) {
    auto sources = openAll(options);
    if (sources.empty()) {
        return 130;
    }
    SendingStreams streams(options);
    for (auto& source : sources) {
        streams.add(std::move(source));
    }
    return streams.run();
}

}  // namespace

int runSend(const SendOptions& options) {
    checkHostExists(options.sender);
    installInterruptHandler();
    if (options.sources.size() > 1 && !options.stereo) {
        return runSeveral(options);
    }
    SendOptions one = options;
    one.sender.name = options.names.empty() ? "" : options.names.front();
    if (options.stereo) {
        return runStereo(one);
    }
    auto source = openUnlessInterrupted(sourceOptions(one, one.sources.front()));
    return source ? Sending(one, std::move(source)).run() : 130;
}

}  // namespace verbcast
