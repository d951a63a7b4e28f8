// One end of a pipe's connection, on a thread of its own.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "core/base/event.h"
#include "core/pipe/pipe_run.h"

namespace verbcast {

/// Used by one thread.
class PipeWorker {
  public:
    struct End {
        int code =
            0;  ///< 0: all was delivered; kBrokenPipeCode: the reader closed its end; else an exit code
        std::string text;
    };

    /// What `run` uses must live as long.
    explicit PipeWorker(std::unique_ptr<PipeRun> run);
    /// Gives up what is still going on.
    ~PipeWorker() { run_->cancel(); }
    PipeWorker(const PipeWorker&) = delete;
    PipeWorker& operator=(const PipeWorker&) = delete;

    PipeRun& run() { return *run_; }
    const PipeRun& run() const { return *run_; }
    bool ended() const { return ended_.isSet(); }
    int endedDescriptor() const { return ended_.descriptor(); }
    /// Once it has ended.
    const End& end() const { return end_; }

  private:
    std::unique_ptr<PipeRun> run_;
    End end_;  // written before ended_ is set
    Event ended_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
