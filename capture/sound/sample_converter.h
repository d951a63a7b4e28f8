// Converts decoded sound to planar floats, with libswresample.
#pragma once

extern "C" {
#include <libavutil/channel_layout.h>
}

#include <cstdint>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

/// What is resampled: beyond that, a file could ask for any amount of memory.
inline constexpr int kMinConvertedRate = 1000;
inline constexpr int kMaxConvertedRate = 3'072'000;
/// Throws Error{Input} for others. `name` for the message: "the sound of clip.mp4".
void requireConvertibleRate(int rate, const std::string& name);

/// From the format of one decoded frame to a rate and number of channels. With the frame's own, each sample
/// is the one that the ffmpeg program makes, bit by bit.
class SampleConverter {
  public:
    /// The channels stay as they are if their number does, else they are mixed as their layouts say. Throws
    /// Error{Input} if that cannot be done.
    SampleConverter(const AVFrame& from, std::uint32_t rate, const AVChannelLayout& channels);

    /// Whether the frame has the format that is converted from.
    bool takes(const AVFrame& frame) const;
    /// Converts a frame. Those that are resampled follow each other, and come with a delay. Null: the rest.
    /// Returns the number of samples in planes(). Samples that are not finite become 0.
    std::uint32_t convert(const AVFrame* frame);
    const float* const* planes() const { return planes_.data(); }
    /// Of all samples so far.
    bool hasRepaired() const { return repaired_; }

  private:
    void makeRoom(std::uint32_t samples);

    SwrPtr context_;
    int format_, rate_, channels_;
    std::uint64_t mask_;
    std::vector<float> samples_;
    std::vector<float*> planes_;
    bool repaired_ = false;
};

}  // namespace verbcast
