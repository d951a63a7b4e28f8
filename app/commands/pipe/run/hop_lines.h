// Progress of the streams between a pipeline's stages, a line for each.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/pipe/pipe_run.h"
#include "core/stats/numa_stats.h"

namespace verbcast {

struct Hop {
    std::string from, to;  ///< hosts; "here"
    PipeStatus status;
    std::optional<NumaStats> fromPlace{}, toPlace{};  ///< nullopt: an end that is not over
    std::string name() const { return from + " -> " + to; }
};

/// On a terminal rewrites its lines a few times a second; elsewhere prints them every few seconds. Not
/// thread-safe.
class HopLines {
  public:
    HopLines();
    ~HopLines() { clear(); }
    HopLines(const HopLines&) = delete;
    HopLines& operator=(const HopLines&) = delete;

    /// Prints if it is time to. Always pass the same hops.
    void show(const std::vector<Hop>& hops);
    /// Prints the totals of each hop.
    void finish(const std::vector<Hop>& hops);
    /// Clears the lines so that something else can be printed.
    void clear();

  private:
    std::string lineOf(const Hop& hop, std::size_t index);

    bool terminal_;
    std::size_t lines_ = 0;  // on the terminal now
    std::vector<PipeStatus> shown_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace verbcast
