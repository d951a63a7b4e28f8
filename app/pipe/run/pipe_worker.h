// Runs one end of a pipe's connection on its own thread.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "core/base/event.h"
#include "core/pipe/pipe_run.h"

namespace verbcast {

/// Not thread-safe.
class PipeWorker {
  public:
    struct End {
        int code =
            0;  ///< 0: everything delivered; kBrokenPipeCode: the reader closed its end; else an exit code
        std::string text;
    };

    /// What `run` uses must outlive this.
    explicit PipeWorker(std::unique_ptr<PipeRun> run);
    /// Cancels what still runs.
    ~PipeWorker() { run_->cancel(); }
    PipeWorker(const PipeWorker&) = delete;
    PipeWorker& operator=(const PipeWorker&) = delete;

    PipeRun& run() { return *run_; }
    const PipeRun& run() const { return *run_; }
    bool ended() const { return ended_.isSet(); }
    int endedDescriptor() const { return ended_.descriptor(); }
    /// Valid once ended().
    const End& end() const { return end_; }

  private:
    std::unique_ptr<PipeRun> run_;
    End end_;  // written before ended_ is set
    Event ended_;
    std::jthread thread_;  // last: it uses the members above
};

}  // namespace verbcast
