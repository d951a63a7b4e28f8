// What the bytes of a block of sound mean: planar 32-bit floats, one channel after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/wire.h"

namespace verbcast {

inline constexpr std::uint32_t kMinSoundRate = 8'000;
inline constexpr std::uint32_t kMaxSoundRate = 192'000;
inline constexpr std::uint16_t kMaxSoundChannels = 64;
/// Longest block: a hundredth of a second.
inline constexpr std::uint32_t kSoundBlocksPerSecond = 100;

/// A block of n samples holds channels times n floats, nominally from -1 to 1: first those of channel 0, in
/// order of time, then those of channel 1. Its FrameInfo::pts is the time of its first sample in units of
/// 1/rate s, from the same zero as the pts of the stream's pictures; it follows a clock, not the count of
/// samples, so that two blocks that follow each other may be some samples more or less than their length
/// apart.
struct SoundFormat {
    std::uint32_t rate = 48'000;     ///< samples per second of each channel
    std::uint16_t channels = 2;      ///< 1 to kMaxSoundChannels
    std::uint16_t maxSamples = 240;  ///< most samples of each channel in a block: 1 to rate / 100
    /// Where the channels' loudspeakers stand: bits of FFmpeg's AV_CH_* (those of WAVEFORMATEXTENSIBLE), in
    /// ascending order; as many bits as there are channels. 0: unknown.
    std::uint64_t layout = 0;

    static void fields(auto& self, auto& visit) {
        visit(self.rate, self.channels, self.maxSamples, self.layout);
    }
    /// Throws Error{Peer} for any soundFormatProblem().
    void check() const;

    /// Bytes of a block of so many samples.
    std::uint64_t bytes(std::uint64_t samples) const { return samples * channels * sizeof(float); }
    /// Of a block that has so many bytes; nullopt: no such block is allowed.
    std::optional<std::uint32_t> samplesOf(std::uint64_t bytes) const;
    /// Seconds from the zero of time stamps.
    double secondsOf(std::int64_t pts) const { return static_cast<double>(pts) / rate; }

    friend bool operator==(const SoundFormat&, const SoundFormat&) = default;
};

/// Whether their samples may follow each other, whatever the blocks' length.
bool sameSound(const SoundFormat& a, const SoundFormat& b);

/// Returns nullopt if such blocks can be sent, else what is wrong: "65 channels: 1 to 64 expected".
std::optional<std::string> soundFormatProblem(const SoundFormat& format);

/// "48 kHz, 2 channels (stereo)", "44.1 kHz, 1 channel (mono)", "96 kHz, 64 channels".
std::string describe(const SoundFormat& format);

}  // namespace verbcast
