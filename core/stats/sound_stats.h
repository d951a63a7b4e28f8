// What is counted of a stream's sound, and of playing it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/sound/sound_format.h"
#include "core/stats/histogram.h"
#include "core/stats/stats_fields.h"

namespace verbcast {

struct SoundPlaybackStats {
    std::string device;   ///< where it is played; "" while there is no device
    std::string problem;  ///< why nothing is heard; "": nothing is wrong
    bool muted = false;   ///< by the user, or since another stream sounds
    bool sounding = false;
    double offsetMs = 0;          ///< now: sound is heard that much after the pictures that it belongs to
    Percentiles offset;           ///< its distance from 0, while it sounded
    double driftPpm = 0;          ///< how much faster the stream's sound clock is than the device's
    double bufferedMs = 0;        ///< has arrived and is not being played yet
    double delayMs = 0;           ///< for how long pictures should wait for their sound
    double heldMs = 0;            ///< for how long the last one did
    std::uint64_t heldShort = 0;  ///< pictures that waited less, since the slots were used up
    std::uint64_t underruns = 0;  ///< sound did not arrive in time, but within a second
    std::uint64_t deviceUnderruns = 0;  ///< the device was not filled in time
    std::uint64_t concealed = 0;        ///< how often blocks were lost
    std::uint64_t dropped = 0;          ///< blocks that made no sense, or that no device played
    std::uint64_t resyncs = 0;          ///< jumps by more than 100 ms, as after a seek

    static constexpr void fields(auto visit) {
        visit("device", &SoundPlaybackStats::device);
        visit("problem", &SoundPlaybackStats::problem);
        visit("muted", &SoundPlaybackStats::muted);
        visit("sounding", &SoundPlaybackStats::sounding);
        visit("offset_ms", &SoundPlaybackStats::offsetMs);
        visit("offset_us", &SoundPlaybackStats::offset);
        visit("drift_ppm", &SoundPlaybackStats::driftPpm);
        visit("buffered_ms", &SoundPlaybackStats::bufferedMs);
        visit("delay_ms", &SoundPlaybackStats::delayMs);
        visit("held_ms", &SoundPlaybackStats::heldMs);
        visit("held_short", &SoundPlaybackStats::heldShort);
        visit("underruns", &SoundPlaybackStats::underruns);
        visit("device_underruns", &SoundPlaybackStats::deviceUnderruns);
        visit("concealed", &SoundPlaybackStats::concealed);
        visit("dropped", &SoundPlaybackStats::dropped);
        visit("resyncs", &SoundPlaybackStats::resyncs);
    }
};

/// Of one side, since it began.
struct SoundStats {
    std::optional<SoundFormat> format;  ///< of the last block
    std::uint64_t blocks = 0;           ///< sender: sent to at least one viewer; receiver: arrived
    std::uint64_t blocksMissing = 0;    ///< sender: never sent; receiver: did not arrive
    std::uint64_t bytes = 0;            ///< of those blocks
    Percentiles delay{};                ///< receiver: microseconds from submit at the sender to arrival
    std::optional<SoundPlaybackStats> playback{};  ///< receiver: if it is played

    /// How long the blocks last, if `format` is that of all.
    double seconds() const {
        return format ? static_cast<double>(bytes) / static_cast<double>(format->bytes(format->rate)) : 0;
    }

    static constexpr void fields(auto visit) {
        visit("rate", [](const SoundStats& s) { return s.format ? s.format->rate : 0; });
        visit("channels", [](const SoundStats& s) { return s.format ? s.format->channels : 0; });
        visit({"blocks_sent", "blocks_received"}, &SoundStats::blocks);
        visit({"blocks_dropped", "blocks_lost"}, &SoundStats::blocksMissing);
        visit("seconds", &SoundStats::seconds);
        visit({nullptr, "delay_us"}, &SoundStats::delay);
        visit({nullptr, "playback"}, &SoundStats::playback, kIfAny);
    }
};

/// "12.3 s of sound, 48 kHz, 2 channels (stereo), 0 blocks missing"; of sound that has come.
std::string describe(const SoundStats& sound);

}  // namespace verbcast
