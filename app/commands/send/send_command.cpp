// verbcast send: sends a file, a pattern, a camera, a screen or stdin; or several of them.
#include "app/commands/send/send_command.h"

#include "app/cli/peer_options.h"
#include "app/commands/send/open_sound.h"
#include "app/commands/send/sending.h"
#include "app/commands/send/sending_streams.h"
#include "app/commands/send/sent_sound.h"
#include "app/commands/send/sound_alone.h"
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

struct Opened {
    std::unique_ptr<FrameSource> pictures;
    SentBeside beside{};
};

Opened alone(std::unique_ptr<SoundSource> sound, const SourceOptions& source) {
    auto paced = std::make_unique<SoundAlone>(std::move(sound), source);
    SentBeside beside{.sound = paced->soundBeside()};
    return {std::move(paced), std::move(beside)};
}

Opened openOne(const SendOptions& options, SourceOptions source, bool withSound, TimestampNs zero) {
    if (withSound && options.audio == "auto") {
        source.soundTrack = options.audioTrack;
    }
    if (source.source == kSoundSource && !options.stereo) {
        return alone(openSoundAlone(options, source, zero), source);
    }
    Opened opened;
    try {
        opened.pictures = openSource(source);
    } catch (const NoVideo& none) {
        auto sound = options.stereo ? nullptr : openSoundAlone(options, source, zero, none.sound);
        if (!sound) {
            throw;
        }
        return alone(std::move(sound), source);
    }
    if (withSound) {
        auto sound = openSound({.audio = options.audio,
                                .track = options.audioTrack,
                                .atAnotherSpeed = options.pacing == Pacing::Rate},
                               source, *opened.pictures, zero, opened.beside.notes);
        opened.beside.sound = sound ? std::make_unique<SentSound>(std::move(sound)) : nullptr;
    }
    return opened;
}

/// Opens all sources before waiting for viewers: a missing one is reported at once. Empty if interrupted: an
/// error of a source that was still opening no longer matters.
std::vector<Opened> openAll(const SendOptions& options) {
    const TimestampNs zero = nowNs();
    std::vector<Opened> all;
    all.reserve(options.sources.size());
    try {
        for (const std::string& from : options.sources) {
            SourceOptions source = sourceOptions(options, from);
            source.ptsZero = options.sources.size() > 1 ? zero : 0;
            all.push_back(openOne(options, source, all.empty() || !options.stereo, zero));
        }
    } catch (const Error&) {
        if (interruptEvent().isSet()) {
            return {};
        }
        throw;
    }
    return all;
}

int runSeveral(const SendOptions& options, std::vector<Opened> all) {
    SendingStreams streams(options);
    for (Opened& one : all) {
        streams.add(std::move(one.pictures), std::move(one.beside));
    }
    return streams.run();
}

}  // namespace

int runSend(const SendOptions& options) {
    checkHostExists(options.sender);
    installInterruptHandler();
    SendOptions one = options;
    one.sender.name = options.names.empty() ? "" : options.names.front();
    const bool several = options.sources.size() > 1 && !options.stereo;
    auto all = openAll(several ? options : one);
    if (all.empty()) {
        return 130;
    }
    if (several) {
        return runSeveral(options, std::move(all));
    }
    if (options.stereo) {
        all.front().beside.right = std::make_unique<SecondEye>(std::move(all.back().pictures));
    }
    return Sending(one, std::move(all.front().pictures), nullptr, std::move(all.front().beside)).run();
}

}  // namespace verbcast
