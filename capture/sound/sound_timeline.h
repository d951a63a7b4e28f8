// Where a file's decoded sound belongs, exact to the sample.
#pragma once

extern "C" {
#include <libavutil/rational.h>
}

#include <cstdint>
#include <optional>

namespace verbcast {

/// Turns the time stamps of a track's frames into positions: samples from the beginning of the file. Stamps
/// may be coarser than a sample (1 ms in Matroska) or missing, so frames that follow each other are counted,
/// and a stamp is believed where it differs by more than it may err. After a seek, frames lie again where
/// they lay when they were counted from the beginning, as far as their lengths tell.
class SoundTimeline {
  public:
    /// Of stamps in `timeBase`; the beginning in AV_TIME_BASE.
    SoundTimeline(AVRational timeBase, std::int64_t beginning, std::uint32_t rate);

    struct Place {
        std::int64_t at;  ///< in samples of the current rate
        bool follows;     ///< the frame before
    };
    /// The place of the next frame. `stamp` may be AV_NOPTS_VALUE.
    Place place(std::int64_t stamp, std::uint32_t samples);

    /// From the next frame on.
    void setRate(std::uint32_t rate);
    /// The next frame lies elsewhere, or is the first again.
    void restart(bool atBeginning);
    /// Whether seeks are exact to the sample: enough has been counted from the beginning, if that is needed.
    bool isExact() const { return tolerance_ == 0 || step_ > 0; }

  private:
    std::optional<std::int64_t> positionOf(std::int64_t stamp) const;
    std::int64_t landing(std::int64_t stamped, std::uint32_t samples) const;
    void learn(std::int64_t at, std::uint32_t samples);

    AVRational timeBase_;
    std::int64_t beginning_;
    std::uint32_t firstRate_;
    std::uint32_t rate_;
    std::int64_t tick_ = 1;               // of stamps, in samples
    std::int64_t tolerance_ = 0;          // of sums of stamps, in samples
    std::optional<std::int64_t> next_{};  // where a frame would follow
    bool counting_ = true;                // from the beginning
    // What frames' lengths tell: each ends at firstEnd_ + n * step_. The first one may be shortened at its
    // beginning, the last one at its end.
    std::int64_t firstEnd_ = 0;
    std::int64_t step_ = 0;  // 0: unknown
    std::int64_t lastLength_ = 0;
};

}  // namespace verbcast
