// Runs a pipe, or one end of a pipeline's hop, on its own thread.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/stream_options.h"
#include "core/base/os/event.h"
#include "core/pipe/pipe_run.h"
#include "core/stats/numa_stats.h"

namespace verbcast {

/// Not thread-safe.
class PipeWorker {
  public:
    struct End {
        /// 0: everything delivered; kBrokenPipeCode: the reader closed its end; else an exit code
        int code = 0;
        std::string text;
        std::exception_ptr failure{};  ///< null: none
    };

    /// On the NUMA node of the device that leads to these peers: those of `run`. What `run` uses must outlive
    /// this.
    PipeWorker(std::unique_ptr<PipeRun> run, const std::vector<PipeAddress>& peers, const NumaChoice& numa);
    /// The same where the calling thread has taken its place.
    PipeWorker(std::unique_ptr<PipeRun> run, NumaStats place);
    /// Cancels what still runs.
    ~PipeWorker() { run_->cancel(); }
    PipeWorker(const PipeWorker&) = delete;
    PipeWorker& operator=(const PipeWorker&) = delete;

    PipeRun& run() { return *run_; }
    const PipeRun& run() const { return *run_; }
    bool ended() const { return ended_.isSet(); }
    int endedDescriptor() const { return ended_.descriptor(); }
    // Valid once ended():
    const End& end() const { return end_; }
    const NumaStats& place() const { return place_; }

    /// The place for pipes to these peers, or from them. Throws Error{Usage} if the node does not exist.
    static NumaStats choosePlace(const NumaChoice& numa, const std::vector<PipeAddress>& peers);

  private:
    void work(const std::function<void()>& takesPlace);

    std::unique_ptr<PipeRun> run_;
    End end_;  // both are written before ended_ is set
    NumaStats place_;
    Event ended_;
    std::jthread thread_;  // last: it uses the members above
};

}  // namespace verbcast
