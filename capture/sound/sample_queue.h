// Decoded sound of one track that waits to be put into blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace verbcast {

/// Holds runs of samples without gaps, in order of arrival.
class SampleQueue {
  public:
    explicit SampleQueue(std::uint16_t channels) : channels_(channels) {}

    /// Adds `samples` samples of each channel, planar. They belong to the run before if they follow it.
    void add(std::int64_t at, const float* const* planes, std::uint32_t samples);

    bool isEmpty() const { return runs_.empty(); }
    /// Of the first run; the queue must not be empty.
    std::int64_t at() const { return runs_.front().at; }
    std::int64_t end() const { return runs_.front().end(); }
    /// Whether nothing can be added to the first run any more.
    bool isFirstComplete() const { return runs_.size() > 1; }
    /// Samples of each channel in all runs.
    std::int64_t waiting() const { return waiting_; }

    /// Moves the first samples of the first run, at most as many as it has, to `to`: planar, `samples` each.
    void take(std::uint32_t samples, float* to);
    /// Drops what the first run has before that position, which is in it or after it.
    void dropBefore(std::int64_t position);
    void clear();

  private:
    struct Run {
        std::int64_t at = 0;
        std::size_t used = 0;  // at the start of each channel
        std::vector<std::vector<float>> channels;

        std::int64_t end() const { return at + static_cast<std::int64_t>(channels.front().size() - used); }
    };
    void drop(std::int64_t samples);

    std::uint16_t channels_;
    std::deque<Run> runs_;
    std::int64_t waiting_ = 0;
};

}  // namespace verbcast
