#include "app/commands/send/open_sound.h"

#include <fmt/format.h>

#include <string_view>

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

}  // namespace

std::unique_ptr<SentSound> openSound(const SendOptions& options, const SourceOptions& source,
                                     FrameSource& pictures, TimestampNs zero,
                                     std::vector<std::string>& notes) {
    if (options.audio == "none") {
        return nullptr;
    }
    const SoundOptions sound{.track = options.audioTrack, .ptsZero = zero};
    std::unique_ptr<SoundSource> found;
    if (options.audio == "auto") {
        try {
            found = ownSound(source, pictures, sound);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Usage) {
                throw;
            }
            notes.push_back(fmt::format("no sound: {}", error.what()));
        }
    } else {
        found = options.audio == "tone" ? openTone() : openSoundDevice(options.audio, sound);
    }
    if (found && !found->isLive() && options.pacing == Pacing::Rate &&
        sourceSchemeOf(source.source) == nullptr) {
        notes.emplace_back("no sound: --fps sends the pictures at another speed");
        return nullptr;
    }
    return found ? std::make_unique<SentSound>(
                       std::move(found),
                       SoundPart{.start = source.start, .length = source.length, .zero = zero})
                 : nullptr;
}

}  // namespace verbcast
