#include "core/sound/sound_format.h"

#include <fmt/format.h>

#include <bit>

namespace verbcast {
namespace {

struct LayoutName {
    std::uint64_t layout;
    const char* name;
};
// The usual ones, of FFmpeg's libavutil/channel_layout.h.
constexpr LayoutName kLayouts[] = {{0x4, "mono"},  {0x3, "stereo"}, {0x33, "quad"},
                                   {0x60f, "5.1"}, {0x3f, "5.1"},   {0x63f, "7.1"}};

}  // namespace

std::optional<std::uint32_t> SoundFormat::samplesOf(std::uint64_t bytes) const {
    const std::uint64_t each = channels * sizeof(float);
    const bool whole = bytes > 0 && each > 0 && bytes % each == 0 && bytes / each <= maxSamples;
    return whole ? std::optional(static_cast<std::uint32_t>(bytes / each)) : std::nullopt;
}

bool sameSound(const SoundFormat& a, const SoundFormat& b) {
    return a.rate == b.rate && a.channels == b.channels && a.layout == b.layout;
}

std::optional<std::string> soundFormatProblem(const SoundFormat& format) {
    if (format.rate < kMinSoundRate || format.rate > kMaxSoundRate) {
        return fmt::format("{} Hz: {} to {} expected", format.rate, kMinSoundRate, kMaxSoundRate);
    }
    if (format.channels < 1 || format.channels > kMaxSoundChannels) {
        return fmt::format("{} channels: 1 to {} expected", format.channels, kMaxSoundChannels);
    }
    if (format.maxSamples < 1 || format.maxSamples > format.rate / kSoundBlocksPerSecond) {
        return fmt::format("blocks of {} samples: 1 to {} expected (a hundredth of a second)",
                           format.maxSamples, format.rate / kSoundBlocksPerSecond);
    }
    if (format.layout != 0 && std::popcount(format.layout) != format.channels) {
        return fmt::format("a layout of {} loudspeakers for {} channels", std::popcount(format.layout),
                           format.channels);
    }
    return std::nullopt;
}

void SoundFormat::check() const {
    if (const auto problem = soundFormatProblem(*this)) {
        throw peerError("the peer announced sound of {}", *problem);
    }
}

std::string describe(const SoundFormat& format) {
    std::string text = fmt::format("{:g} kHz, {} channel{}", format.rate / 1000.0, format.channels,
                                   format.channels == 1 ? "" : "s");
    for (const LayoutName& known : kLayouts) {
        if (known.layout == format.layout) {
            text += fmt::format(" ({})", known.name);
            break;
        }
    }
    return text;
}

}  // namespace verbcast
