#include "app/commands/send/open_sound.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "app/host/interrupt.h"
#include "capture/media/input/pipe_reader.h"
#include "capture/media/reopened_sound.h"
#include "capture/sound/file_sound.h"
#include "capture/sound/open_sound_device.h"
#include "capture/sound/tone_sound.h"
#include "capture/source_schemes.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kToneRate = 48'000;
constexpr std::uint16_t kToneChannels = 2;

std::unique_ptr<SoundSource> openTone() {
    return std::make_unique<ToneSound>(kToneRate, kToneChannels);
}

/// The source's own sound; null: it has none.
std::unique_ptr<SoundSource> ownSound(const SourceOptions& source, FrameSource& pictures,
                                      const SoundOptions& sound) {
    const SourceScheme* const scheme = sourceSchemeOf(source.source);
    if (scheme == nullptr) {
        return pictures.sound(sound);
    }
    if (scheme->name == "screen") {
        return openSoundDevice("monitor", sound);
    }
    return scheme->name == "pattern" && scheme->partOf(source.source) == "flash" ? openTone() : nullptr;
}

std::unique_ptr<SoundSource> openNamed(const std::string& audio, const SoundOptions& sound) {
    return audio == "tone" ? openTone() : openSoundDevice(audio, sound);
}

void requireForSound(const SendOptions& options, const SourceOptions& source) {
    for (const auto& [option, given] : {std::pair{"--frames", options.frames.has_value()},
                                        std::pair{"--frame-md5", !options.frameMd5.empty()},
                                        std::pair{"--fps N", options.pacing == Pacing::Rate}}) {
        if (given) {
            throw Error(
                ErrorKind::Usage,
                fmt::format("{} is about pictures, and {} is sound without any", option, source.source),
                "leave it out; --seconds ends a stream after a time");
        }
    }
}

void requireNamed(const SendOptions& options, const SourceOptions& source) {
    if (options.audio == "auto" || options.audio == "none") {
        throw Error(
            ErrorKind::Usage,
            fmt::format("verbcast send {}: which sound is not said (--audio {})", kSoundSource,
                        options.audio),
            "--audio default: what the default device records; monitor: what it plays; or a name that "
            "verbcast devices lists");
    }
    if (source.start.count() > 0 || source.length || source.loop) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--start, --length and --loop are for files, and the source is {}", kSoundSource),
            "leave them out; --seconds ends a stream after a time");
    }
}

}  // namespace

std::unique_ptr<SourceSound> openSound(const SoundWish& wish, const SourceOptions& source,
                                       FrameSource& pictures, TimestampNs zero,
                                       std::vector<std::string>& notes) {
    if (wish.audio == "none") {
        return nullptr;
    }
    const SoundOptions sound{.track = wish.track, .ptsZero = zero};
    std::unique_ptr<SoundSource> found;
    if (wish.audio == "auto") {
        try {
            found = ownSound(source, pictures, sound);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Usage) {
                throw;
            }
            notes.push_back(fmt::format("no sound: {}", error.what()));
        }
    } else {
        found = openNamed(wish.audio, sound);
    }
    if (found && !found->isLive() && wish.atAnotherSpeed && sourceSchemeOf(source.source) == nullptr) {
        notes.emplace_back("no sound: --fps sends the pictures at another speed");
        return nullptr;
    }
    return found ? std::make_unique<SourceSound>(
                       std::move(found),
                       SoundPart{.start = source.start, .length = source.length, .zero = zero})
                 : nullptr;
}

std::unique_ptr<SoundSource> openSoundAlone(const SendOptions& options, const SourceOptions& source,
                                            TimestampNs zero, std::shared_ptr<SoundInput> piped) {
    const SoundOptions sound{.track = options.audioTrack, .ptsZero = zero};
    std::unique_ptr<SoundSource> found;
    if (source.source == kSoundSource) {
        requireNamed(options, source);
        found = openNamed(options.audio, sound);
    } else if (piped) {
        if (source.loop) {
            throw Error(ErrorKind::Input, piped->path() + " is a pipe and cannot be rewound",
                        "leave out --loop");
        }
        found = std::make_unique<FileSound>(std::move(piped), sound);
    } else if (options.audio == "auto" && source.source != "-" && !isNamedPipe(source.source)) {
        found = openFileSound(source.source, source.inputFormat, sound, &interruptEvent());
    }
    if (found) {
        requireForSound(options, source);
    }
    return found;
}

}  // namespace verbcast
