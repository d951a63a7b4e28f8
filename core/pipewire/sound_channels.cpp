#include "core/pipewire/sound_channels.h"

#include <spa/param/audio/format-utils.h>
#include <spa/param/audio/type-info.h>

#include <algorithm>
#include <iterator>

namespace verbcast {
namespace {

// By the bits of SoundFormat::layout, from the lowest.
constexpr spa_audio_channel kByBit[] = {SPA_AUDIO_CHANNEL_FL,  SPA_AUDIO_CHANNEL_FR,  SPA_AUDIO_CHANNEL_FC,
                                        SPA_AUDIO_CHANNEL_LFE, SPA_AUDIO_CHANNEL_RL,  SPA_AUDIO_CHANNEL_RR,
                                        SPA_AUDIO_CHANNEL_FLC, SPA_AUDIO_CHANNEL_FRC, SPA_AUDIO_CHANNEL_RC,
                                        SPA_AUDIO_CHANNEL_SL,  SPA_AUDIO_CHANNEL_SR,  SPA_AUDIO_CHANNEL_TC,
                                        SPA_AUDIO_CHANNEL_TFL, SPA_AUDIO_CHANNEL_TFC, SPA_AUDIO_CHANNEL_TFR,
                                        SPA_AUDIO_CHANNEL_TRL, SPA_AUDIO_CHANNEL_TRC, SPA_AUDIO_CHANNEL_TRR};
constexpr std::uint64_t kFrontCentre = 0x4;

std::uint64_t bitOf(std::uint32_t channel) {
    const auto* const found = std::ranges::find(kByBit, channel);
    return found == std::end(kByBit) ? 0 : std::uint64_t{1} << (found - std::begin(kByBit));
}

}  // namespace

std::uint32_t soundChannelOf(std::string_view name) {
    for (const spa_type_info* info = spa_type_audio_channel; info->name != nullptr; ++info) {
        const std::string_view whole = info->name;
        if (whole.substr(whole.rfind(':') + 1) == name) {
            return info->type;
        }
    }
    return SPA_AUDIO_CHANNEL_UNKNOWN;
}

std::uint64_t layoutOf(const std::vector<std::uint32_t>& channels) {
    if (channels.size() == 1 && channels.front() == SPA_AUDIO_CHANNEL_MONO) {
        return kFrontCentre;
    }
    std::uint64_t layout = 0;
    for (const std::uint32_t channel : channels) {
        const std::uint64_t bit = bitOf(channel);
        if (bit <= layout) {
            return 0;
        }
        layout |= bit;
    }
    return layout;
}

std::vector<std::uint32_t> channelsOf(std::uint64_t layout, std::uint32_t count) {
    if (count == 1 && (layout == 0 || layout == kFrontCentre)) {
        return {SPA_AUDIO_CHANNEL_MONO};
    }
    if (layout == 0 && count == 2) {
        layout = 0x3;
    }
    std::vector<std::uint32_t> channels;
    channels.reserve(count);
    for (const spa_audio_channel channel : kByBit) {
        if ((layout & bitOf(channel)) != 0) {
            channels.push_back(channel);
        }
    }
    if (channels.size() != count) {  // unknown: numbered, which PipeWire does not mix
        channels.clear();
        for (std::uint32_t i = 0; i < count; ++i) {
            channels.push_back(SPA_AUDIO_CHANNEL_AUX0 + i);
        }
    }
    return channels;
}

SoundOffer::SoundOffer(spa_audio_format format, std::uint32_t rate,
                       const std::vector<std::uint32_t>& channels) {
    spa_audio_info_raw info{};
    info.format = format;
    info.rate = rate;
    info.channels =
        std::min<std::uint32_t>(SPA_AUDIO_MAX_CHANNELS, static_cast<std::uint32_t>(channels.size()));
    std::copy_n(channels.begin(), info.channels, info.position);
    spa_pod_builder builder{};
    spa_pod_builder_init(&builder, memory_.data(), static_cast<std::uint32_t>(memory_.size()));
    pod_ = spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &info);
}

}  // namespace verbcast
