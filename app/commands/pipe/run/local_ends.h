// The two ends of a pipeline on this machine: one feeds the first stage, the other reads from the last.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/commands/pipe/pipe_worker.h"
#include "app/commands/pipe/run/remote_stage.h"
#include "core/pipe/pipe_input.h"
#include "core/pipe/pipe_output.h"
#include "core/transport/url.h"

namespace verbcast {

/// Not thread-safe; each end works on its own thread.
class LocalEnds {
  public:
    /// The caller keeps the descriptors open. Without these calls the end does not exist.
    void readFrom(int descriptor) { input_.emplace(descriptor, "standard input"); }
    void writeTo(int descriptor) { output_ = std::make_unique<PipeOutput>(descriptor, "standard output"); }

    /// Start an end. Call readFrom() or writeTo() first.
    void send(const PipeSettings& settings, const Url& to, const NumaChoice& numa);
    void receive(const PipeSettings& settings, const Url& from, const NumaChoice& numa);
    /// Cancels what still runs. Errors that follow from this do not count as failures.
    void dismiss();

    /// Adds descriptors to wait on before look().
    void addDescriptors(std::vector<int>& descriptors) const;
    void look();
    /// True if neither end runs, as of the last look().
    bool over() const { return sending_.over() && receiving_.over(); }
    const std::optional<PipelineFailure>& failure() const { return failure_; }
    /// Status of the data from the last stage.
    PipeStatus received() const {
        return receiving_.worker ? receiving_.worker->run().status() : PipeStatus{};
    }
    /// Where the ends were; nullopt until they are over.
    std::optional<NumaStats> placeOfSending() const { return placeOf(sending_); }
    std::optional<NumaStats> placeOfReceiving() const { return placeOf(receiving_); }

  private:
    struct End {
        std::unique_ptr<PipeWorker> worker;  // null: no such end, or not started
        bool seenEnded = false;              // until it is seen, an end must still wake the waiting thread
        int descriptor() const { return worker && !seenEnded ? worker->endedDescriptor() : -1; }
        bool over() const { return !worker || seenEnded; }
    };
    void look(End& end);
    static std::optional<NumaStats> placeOf(const End& end) {
        return end.seenEnded ? std::optional(end.worker->place()) : std::nullopt;
    }

    std::optional<PipeInput> input_;
    std::unique_ptr<PipeOutput> output_;
    std::optional<PipelineFailure> failure_;  // the first one
    bool dismissed_ = false;
    End sending_, receiving_;  // last: they use the members above
};

}  // namespace verbcast
