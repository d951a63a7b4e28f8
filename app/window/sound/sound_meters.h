// Levels of a stream's sound, drawn over its picture.
#pragma once

#include <QImage>
#include <cstddef>
#include <vector>

#include "core/base/os/clock.h"

namespace verbcast {

/// A bar for each channel, the first 16 of them: peaks in dB below full scale, which fall by 12 dB a second
/// (as peak programme meters do, IEC 60268-10: 20 dB in 1.7 s). A line stays at each highest peak for a
/// while; the lamp above a bar says that a sample has reached full scale.
class SoundMeters {
  public:
    static constexpr std::size_t kMaxBars = 16;
    static constexpr double kFloor = -60;  ///< dB: the bottom of the scale

    /// Takes the largest samples since the last call; times never go back.
    void add(const std::vector<float>& peaks, TimestampNs now);
    /// In dB; what has not sounded is at kFloor.
    double level(std::size_t channel) const { return bars_.at(channel).level; }
    std::size_t channels() const { return channels_; }
    /// At most that high, in device-independent pixels; a null image if there is no room for it.
    QImage render(int maximumHeight, double devicePixelRatio) const;

  private:
    struct Bar {
        double level = kFloor;
        double highest = kFloor;
        TimestampNs highestAt = 0;
        TimestampNs clippedAt = 0;  // 0: never
    };

    std::vector<Bar> bars_;
    std::size_t channels_ = 0;  // bars_ has the first of them
    TimestampNs at_ = 0;
};

}  // namespace verbcast
