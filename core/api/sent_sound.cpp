// What senders of the C interface send: sound.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/api/sending.h"
#include "core/api/sized_struct.h"

using namespace verbcast;

template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_sound>{"vc_sound", sizeof(vc_sound)};

namespace {

/// Throws Error{Usage} for sound that cannot be sent.
SoundFormat soundFormatOf(const vc_sound& sound) {
    SoundFormat format{.rate = sound.rate, .layout = sound.layout};
    format.channels = static_cast<std::uint16_t>(std::min<std::uint32_t>(sound.channels, UINT16_MAX));
    format.maxSamples = static_cast<std::uint16_t>(std::clamp(sound.rate, kMinSoundRate, kMaxSoundRate) /
                                                   kSoundBlocksPerSecond);
    if (const auto problem = soundFormatProblem(format)) {
        refuse("vc_sound: " + *problem);
    }
    return format;
}

/// The nearest sample.
std::int64_t samplesAt(std::int64_t nanoseconds, std::uint32_t rate) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t seconds = nanoseconds / kSecond;
    return seconds * rate + std::llround(static_cast<double>(nanoseconds % kSecond) * rate / kSecond);
}

std::int64_t durationOf(std::uint64_t samples, std::uint32_t rate) {
    return static_cast<std::int64_t>(samples * 1'000'000'000ULL / rate);
}

/// Copies `count` samples of each channel, from `first` on, one channel after the other.
void copyPlanar(const vc_sound& sound, std::uint64_t first, std::uint64_t count, float* target) {
    for (std::uint32_t channel = 0; channel < sound.channels; ++channel) {
        if (sound.planes != nullptr) {
            target = std::copy_n(sound.planes[channel] + first, count, target);
            continue;
        }
        for (std::uint64_t i = first; i < first + count; ++i) {
            *target++ = sound.interleaved[i * sound.channels + channel];
        }
    }
}

/// Throws Error{Usage} unless the samples of every channel are there.
void checkSamples(const vc_sound& sound) {
    require((sound.interleaved == nullptr) != (sound.planes == nullptr),
            "vc_sound: set either interleaved or planes");
    require(sound.planes == nullptr || std::count(sound.planes, sound.planes + sound.channels, nullptr) == 0,
            "vc_sound.planes: a pointer for each channel expected, NULL given");
    require(sound.captured_at >= 0 && sound.captured_at <= nowNs(),
            "vc_sound.captured_at: a time of vc_now() before now expected");
}

/// Live: a block for which there is no slot is left out.
Status sendBlock(SenderObject& s, const vc_sound& sound, const SoundFormat& format, std::uint64_t first,
                 std::uint64_t count) {
    const bool live = mayDrop(s.options.policy);
    auto slot = s.soundSlots.acquire(format, timeoutFrom(live ? 0 : -1), &s.interrupt);
    if (!slot) {
        return live ? Status::Ok : Status::Cancelled;
    }
    copyPlanar(sound, first, count, reinterpret_cast<float*>(slot->data()));
    FrameInfo info;
    info.track = kSoundTrack;
    info.pts = samplesAt(sound.time, sound.rate) + static_cast<std::int64_t>(first);
    info.capturedAt = sound.captured_at == 0 ? nowNs() : sound.captured_at + durationOf(first, sound.rate);
    return s.broadcast.submit(std::move(*slot), TrackFormat::ofSound(format), format.bytes(count), info,
                              s.interrupt);
}

/// In as few blocks as may be, of equal length or one sample more.
Status sendSound(SenderObject& s, const vc_sound& sound) {
    const SoundFormat format = soundFormatOf(sound);
    if (sound.samples == 0) {
        return Status::Ok;
    }
    checkSamples(sound);
    const std::uint64_t blocks = (sound.samples + format.maxSamples - 1ULL) / format.maxSamples;
    Status status = Status::Ok;
    std::uint64_t first = 0;
    for (std::uint64_t block = 1; block <= blocks && status == Status::Ok; ++block) {
        const std::uint64_t end = sound.samples * block / blocks;
        status = sendBlock(s, sound, format, first, end - first);
        first = end;
    }
    return status;
}

}  // namespace

extern "C" {

vc_status vc_sender_send_sound(vc_sender* sender, const vc_sound* sound) {
    return guarded(VC_ERROR, [&] {
        const auto s = senderOf(sender, "vc_sender_send_sound");
        require(sound != nullptr, "vc_sender_send_sound: sound expected, NULL given");
        require(s->options.hasSound,
                "vc_sender_send_sound: the sender was opened without vc_sender_options.sound");
        const Turn turn(s->sendingSound, "vc_sender_send_sound");
        std::optional<Turn> wait;
        if (!mayDrop(s->options.policy)) {
            wait.emplace(s->waiting, "vc_sender_send_sound");
        }
        return statusFrom(sendSound(*s, readSized(sound)));
    });
}

}  // extern "C"
