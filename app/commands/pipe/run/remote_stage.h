// A stage as `verbcast pipe run` sees it: the ssh process to its host, and its reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/pipe/process/cleaned_errors.h"
#include "app/commands/pipe/process/spawned_process.h"
#include "app/commands/pipe/run/line_channel.h"
#include "app/commands/pipe/run/stage_protocol.h"
#include "core/base/error.h"
#include "core/base/os/clock.h"

namespace verbcast {

/// Why a run failed. `atOtherEnd`: the failure here is a consequence of another one.
struct PipelineFailure {
    int code = 0;
    std::string text;
    std::string remedy{};
    bool atOtherEnd = false;
};

/// As one end of a hop reports it.
PipelineFailure failureOfPipe(int code, const std::string& host, const std::string& text);

/// Not thread-safe.
class RemoteStage {
  public:
    /// Starts ssh. Throws Error{Usage} if it is not installed. `options` must outlive it.
    RemoteStage(const PipelineStage& stage, const PipelineOptions& options);

    const PipelineStage& stage() const { return stage_; }
    void order(const StageOrder& order) { channel_.send(encodeLine(order)); }
    /// Sends no more orders: the stage ends its command and itself.
    void dismiss();

    /// Handles new reports, sends waiting orders, and checks whether ssh has ended.
    void look();
    /// To wait on before look().
    int reportDescriptor() const { return channel_.descriptor(); }
    int orderDescriptor() const { return channel_.roomDescriptor(); }
    int endDescriptor() const { return ssh_.descriptor(); }
    bool ended() const { return ended_; }

    // Reports received:
    const std::optional<StageHello>& hello() const { return hello_; }
    const std::optional<StageReady>& ready() const { return ready_; }
    const std::optional<PipeStatus>& flow() const { return flow_; }
    const std::optional<StageDone>& done() const { return done_; }
    bool committed() const { return committed_; }
    const std::optional<PipelineFailure>& failure() const { return failure_; }
    const std::string& left() const { return left_; }

    /// Where others reach it, once it has said hello: as --address says, or as ssh does.
    std::string route() const;
    /// Where to connect to it, once it is ready, if it listens there. Throws Error{Peer} if it did not report
    /// that.
    Url addressOf(const std::vector<std::string>& listening) const;

    /// Signals ssh if it does not end by itself.
    void kill(int signal);

  private:
    struct Wires;
    RemoteStage(const PipelineStage& stage, const PipelineOptions& options, Wires wires);
    void take(const std::string& line);
    void handle(const StageHello& hello);
    void handle(const StageReady& ready) { ready_ = ready; }
    void handle(const StageFlow& flow) { flow_ = flow.status; }
    void handle(const StageDone& done) { done_ = done; }
    void handle(const StageFailed& failed);
    void handle(const StageLeft& left) { left_ = left.text; }
    void handle(const StageCommitted& /*committed*/) { committed_ = true; }
    void fail(ErrorKind kind, const std::string& text, const std::string& remedy = {});
    void explainEnd(int status);
    void explainSilence(int status);

    const PipelineStage stage_;
    const PipelineOptions& options_;
    LineChannel channel_;
    SpawnedProcess ssh_;
    CleanedErrors errors_;  // of ssh and of what runs on the host
    bool dismissed_ = false;
    bool killed_ = false;
    bool ended_ = false;
    TimestampNs channelEndedAt_ = 0;

    std::optional<StageHello> hello_;
    std::optional<StageReady> ready_;
    std::optional<PipeStatus> flow_;
    std::optional<StageDone> done_;
    std::optional<PipelineFailure> failure_;
    std::string left_;
    bool committed_ = false;
};

}  // namespace verbcast
