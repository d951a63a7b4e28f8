#include "render/sound/channel_map.h"

#include <algorithm>
#include <numbers>

namespace verbcast {
namespace {

struct Sides {
    double left, right;
};
constexpr double kMinus3 = 1 / std::numbers::sqrt2;

// By bit of FFmpeg's AV_CH_*: front left, right, centre, LFE, back left, right, front left and right of
// centre, back centre, side left, right.
constexpr Sides kSides[] = {{1, 0}, {0, 1}, {kMinus3, kMinus3}, {0, 0},       {kMinus3, 0}, {0, kMinus3},
                            {1, 0}, {0, 1}, {0.5, 0.5},         {kMinus3, 0}, {0, kMinus3}};

Sides sidesOf(std::size_t bit) {
    return bit < std::size(kSides) ? kSides[bit] : Sides{0, 0};
}

}  // namespace

void ChannelMap::choose(const SoundFormat& format, std::uint32_t outputs) noexcept {
    count_ = 0;
    if (format.channels == 1) {
        add(0, 0, 1);
        if (outputs > 1) {
            add(0, 1, 1);
        }
        return;
    }
    // Two without a layout are left and right.
    const std::uint64_t layout = format.layout == 0 && format.channels == 2 ? 3 : format.layout;
    if (format.channels <= outputs || outputs > 2 || layout == 0) {
        for (std::size_t i = 0; i < std::min<std::size_t>(format.channels, outputs); ++i) {
            add(i, i, 1);
        }
        return;
    }
    std::size_t channel = 0;
    for (std::size_t bit = 0; bit < 64 && channel < format.channels; ++bit) {
        if ((layout >> bit & 1) == 0) {
            continue;
        }
        const Sides sides = sidesOf(bit);
        if (outputs == 1) {
            add(channel, 0, (sides.left + sides.right) / 2);
        } else {
            add(channel, 0, sides.left);
            add(channel, 1, sides.right);
        }
        ++channel;
    }
}

void ChannelMap::add(std::size_t input, std::size_t output, double gain) noexcept {
    if (gain != 0) {
        routes_[count_++] = {static_cast<std::uint16_t>(input), static_cast<std::uint16_t>(output),
                             static_cast<float>(gain)};
    }
}

void ChannelMap::apply(const float* input, float gain, std::span<float> output) const noexcept {
    std::fill(output.begin(), output.end(), 0.0F);
    for (std::size_t i = 0; i < count_; ++i) {
        output[routes_[i].output] += input[routes_[i].input] * routes_[i].gain * gain;
    }
}

}  // namespace verbcast
