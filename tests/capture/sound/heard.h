// Sound read from a source to its end, or for a while.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "capture/sound_source.h"

namespace verbcast::testing {

/// A stretch without a gap.
struct HeardRun {
    std::int64_t at = 0;
    std::int64_t samples = 0;
    friend bool operator==(const HeardRun&, const HeardRun&) = default;
};
inline void PrintTo(const HeardRun& run, std::ostream* out) {
    *out << run.samples << " from " << run.at;
}

struct Heard {
    std::vector<HeardRun> runs;
    std::vector<float> samples;  ///< interleaved
    std::size_t blocks = 0;
};

/// Reads until the end, or until there are so many samples.
inline Heard hear(SoundSource& source, std::int64_t limit = INT64_MAX) {
    Heard heard;
    CapturedSound block;
    for (std::int64_t total = 0; total < limit && source.read(block) == Status::Ok; ++heard.blocks) {
        const SoundFormat& format = source.format();
        EXPECT_EQ(soundFormatProblem(format), std::nullopt);
        const auto samples = format.samplesOf(block.samples.size() * sizeof(float)).value_or(0);
        EXPECT_GT(samples, 0U) << block.samples.size() << " floats";
        if (heard.runs.empty() || heard.runs.back().at + heard.runs.back().samples != block.at) {
            heard.runs.push_back({.at = block.at, .samples = 0});
        }
        heard.runs.back().samples += samples;
        total += samples;
        for (std::size_t i = 0; i < samples; ++i) {
            for (std::size_t channel = 0; channel < format.channels; ++channel) {
                heard.samples.push_back(block.samples[channel * samples + i]);
            }
        }
    }
    return heard;
}

}  // namespace verbcast::testing
