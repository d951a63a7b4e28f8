// How the streams between the stages of a pipeline go: a line for each.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/pipe/pipe_run.h"

namespace verbcast {

struct Hop {
    std::string from, to;  ///< hosts; "here"
    PipeStatus status;
    std::string name() const { return from + " -> " + to; }
};

/// Rewrites its lines a few times a second on a terminal; elsewhere they are printed every few seconds. Used
/// by one thread.
class HopLines {
  public:
    HopLines();
    ~HopLines() { clear(); }
    HopLines(const HopLines&) = delete;
    HopLines& operator=(const HopLines&) = delete;

    /// Writes, if it is time to; always the same hops.
    void show(const std::vector<Hop>& hops);
    /// What each has moved in all.
    void finish(const std::vector<Hop>& hops);
    /// So that something else can be written.
    void clear();

  private:
    std::string lineOf(const Hop& hop, std::size_t index);

    struct Seen {
        std::uint64_t bytes = 0;
        double seconds = 0;
    };
    bool terminal_;
    std::size_t shown_ = 0;  // lines on the terminal now
    std::vector<Seen> seen_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace verbcast
