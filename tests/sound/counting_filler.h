// Sound whose every sample tells which one it is.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "render/sound/sound_output.h"

namespace verbcast::testing {

/// Counts up in the first channel, and the same with the other sign in all others. Remembers when each
/// stretch is to be heard.
class CountingFiller final : public SoundFiller {
  public:
    static constexpr std::uint32_t kPeriod = 1U << 20U;  // samples until the counts begin again

    static float sample(std::uint64_t count, std::uint32_t channel) {
        const float value = static_cast<float>(count % kPeriod + 1) / (2.F * kPeriod);
        return channel == 0 ? value : -value;
    }
    /// Which one a first channel's sample is; nullopt: none of ours, or another's mixture.
    static std::optional<std::uint64_t> countOf(float value) {
        const double count = static_cast<double>(value) * 2 * kPeriod - 1;
        return count >= 0 && count < kPeriod && count == std::floor(count)
                   ? std::optional(static_cast<std::uint64_t>(count))
                   : std::nullopt;
    }

    void fill(std::span<float> samples, std::uint32_t channels, std::uint32_t rate,
              TimestampNs heardAt) noexcept override {
        const std::lock_guard lock(mutex_);
        rate_ = rate;
        heard_[next_] = heardAt;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i] = sample(next_ + i / channels, static_cast<std::uint32_t>(i % channels));
        }
        next_ += samples.size() / channels;
        ++fills_;
    }

    std::uint64_t fills() const {
        const std::lock_guard lock(mutex_);
        return fills_;
    }
    std::uint64_t filled() const {
        const std::lock_guard lock(mutex_);
        return next_;
    }
    /// When the last sample of that count was to be heard.
    TimestampNs heardAt(std::uint64_t count) const {
        const std::lock_guard lock(mutex_);
        count += next_ > count ? (next_ - 1 - count) / kPeriod * kPeriod : 0;
        auto stretch = heard_.upper_bound(count);
        if (stretch == heard_.begin()) {
            return 0;
        }
        --stretch;
        return stretch->second + static_cast<TimestampNs>((count - stretch->first) * 1'000'000'000 / rate_);
    }

  private:
    mutable std::mutex mutex_;
    std::map<std::uint64_t, TimestampNs> heard_;  // by the first sample
    std::uint64_t next_ = 0, fills_ = 0;
    std::uint32_t rate_ = 1;
};

}  // namespace verbcast::testing
