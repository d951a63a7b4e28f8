// The two ends of a pipeline that are on this machine: what feeds the first stage, and what takes from the
// last.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/pipe/run/pipe_worker.h"
#include "app/pipe/run/remote_stage.h"
#include "core/pipe/pipe_input.h"
#include "core/pipe/pipe_output.h"
#include "core/transport/url.h"

namespace verbcast {

/// Used by one thread; each end works on one of its own.
class LocalEnds {
  public:
    /// Descriptors stay the caller's. Without these calls there is no such end.
    void readFrom(int descriptor) { input_.emplace(descriptor, "standard input"); }
    void writeTo(int descriptor) { output_ = std::make_unique<PipeOutput>(descriptor, "standard output"); }

    /// Begin. readFrom() and writeTo() came before.
    void send(const PipeSettings& settings, const Url& to);
    void receive(const PipeSettings& settings, const Url& from);
    /// Ends early what is still going on. What they then meet is no failure.
    void dismiss();

    /// To wait on, for look().
    void addDescriptors(std::vector<int>& descriptors) const;
    void look();
    /// Neither is going on, as look() saw.
    bool over() const { return sending_.over() && receiving_.over(); }
    const std::optional<PipelineFailure>& failure() const { return failure_; }
    /// What has come from the last stage.
    PipeStatus received() const {
        return receiving_.worker ? receiving_.worker->run().status() : PipeStatus{};
    }

  private:
    struct End {
        std::unique_ptr<PipeWorker> worker;  // null: there is none, or it has not begun
        bool seenEnded = false;  // an end that was not seen yet must still wake the waiting thread
        int descriptor() const { return worker && !seenEnded ? worker->endedDescriptor() : -1; }
        bool over() const { return !worker || seenEnded; }
    };
    void look(End& end);

    std::optional<PipeInput> input_;
    std::unique_ptr<PipeOutput> output_;
    std::optional<PipelineFailure> failure_;  // the first
    bool dismissed_ = false;
    End sending_, receiving_;  // after what they use
};

}  // namespace verbcast
