#include "app/commands/pipe/run/pipeline.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>

#include "app/commands/pipe/pipe_worker.h"
#include "app/commands/pipe/process/group_guard.h"
#include "app/commands/pipe/process/spawned_process.h"
#include "app/commands/pipe/run/line_channel.h"
#include "app/commands/pipe/run/stage_protocol.h"
#include "app/host/interrupt.h"
#include "core/base/version.h"
#include "core/pipe/pipe_receiver.h"
#include "core/pipe/pipe_sender.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kFlowInterval = 250ms;
/// Time for a command to clean up.
constexpr std::chrono::nanoseconds kTermination = 1s;
/// Limited, since the next stage may be gone.
constexpr std::chrono::nanoseconds kGoodbye = 3s;

/// From SSH_CONNECTION: client address and port, our address and port.
std::string addressOfSsh() {
    const char* text = std::getenv("SSH_CONNECTION");
    std::istringstream words(text != nullptr ? text : "");
    std::string client, clientPort, address;
    words >> client >> clientPort >> address;
    return address;
}

/// Resolved as a shell would, from the home folder, where ssh starts.
std::string filePath(const std::string& text) {
    const char* home = std::getenv("HOME");
    return text.starts_with("~/") && home != nullptr ? home + text.substr(1) : text;
}

/// A copy that the command does not inherit.
UniqueFd ownCopy(int descriptor) {
    return UniqueFd(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
}

class Stage {
  public:
    Stage() : control_(ownCopy(STDIN_FILENO), ownCopy(STDOUT_FILENO)) {}
    ~Stage() { giveUp(); }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    int run();

  private:
    void report(const StageReport& report) { control_.send(encodeLine(report)); }
    void waitForAnything();
    void takeOrders();
    void obey(const StagePlan& plan);
    void obey(const StageStart& start);
    void obey(const StageCommit& commit);
    void openEnds();
    void runCommand();
    void listen();
    std::unique_ptr<PipeWorker> sender(const PipeSettings& transfer, const PipeAddress& address);
    PipeAddress reachedAt(PipeAddress address) const;
    void reportReady();
    void reportFlow();
    bool takeEnd(std::unique_ptr<PipeWorker>& worker, std::optional<NumaStats>& place);
    void watchIncoming();
    void watchOutgoing();
    void reportDone();
    void fail(const PipeWorker::End& end);
    void stopCommand();
    void giveUp();

    Pipe input_ = makePipe("a pipe to a command");  // the command's
    const GroupGuard guard_{input_.writing.get()};  // early: it forks
    LineChannel control_;
    std::optional<StagePlan> plan_;
    bool ready_ = false, started_ = false, failed_ = false, done_ = false, committed_ = false;
    TimestampNs flowReported_ = 0;

    Pipe output_ = makePipe("a pipe from a command");  // the command's
    std::unique_ptr<PipeOutput> target_;
    std::optional<PipeInput> source_;
    std::unique_ptr<SpawnedProcess> command_;
    std::optional<int> status_;                          // the command's
    std::optional<NumaStats> inputPlace_, outputPlace_;  // of the ends that are over
    // After the members that they use:
    std::unique_ptr<PipeWorker> incoming_;  // null: not started, or over
    std::unique_ptr<PipeWorker> outgoing_;
};

int Stage::run() {
    report(StageHello{kVersion, addressOfSsh()});
    while (!control_.ended() && !interruptEvent().isSet()) {
        waitForAnything();
        takeOrders();
        reportReady();
        watchIncoming();
        watchOutgoing();
        if (command_ && !status_) {
            status_ = command_->status();
        }
        reportDone();
    }
    return committed_ ? 0 : static_cast<int>(ErrorKind::Network);
}

void Stage::waitForAnything() {
    const bool flowing = plan_ && plan_->flow && incoming_ && started_;
    std::vector<int> descriptors{control_.descriptor(), control_.roomDescriptor(),
                                 interruptEvent().descriptor(), command_ ? command_->descriptor() : -1};
    for (const PipeWorker* worker : {incoming_.get(), outgoing_.get()}) {
        if (worker != nullptr) {
            descriptors.push_back(worker->endedDescriptor());
            descriptors.push_back(ready_ || failed_ ? -1 : worker->run().changed().descriptor());
        }
    }
    waitReadable(descriptors, flowing ? Deadline::in(kFlowInterval) : Deadline::never());
    control_.flush();
    if (flowing && !control_.waitsToSend() && nowNs() - flowReported_ >= kFlowInterval.count()) {
        reportFlow();
    }
}

void Stage::takeOrders() {
    control_.receive();
    while (const auto line = control_.next()) {
        try {
            std::visit([this](const auto& order) { obey(order); }, decodeOrder(*line));
        } catch (const Error& error) {
            failed_ = true;
            report(StageFailed{error.exitCode(), error.what()});
            stopCommand();
        }
    }
}

void Stage::obey(const StagePlan& plan) {
    if (plan_) {
        throw Error(ErrorKind::Peer, "a second plan");
    }
    plan_ = plan;
    openEnds();
    listen();
}

/// Opens files before anything runs, so that errors are known first.
void Stage::openEnds() {
    if (plan_->kind == StageKind::Read) {
        source_ = PipeInput::open(filePath(plan_->text));
        return;
    }
    if (plan_->kind == StageKind::Write) {
        target_ = PipeOutput::toFile(filePath(plan_->text), false);
        target_->nameLater();
        return;
    }
    target_ = std::make_unique<PipeOutput>(input_.writing.get(), "the command's input");
    source_.emplace(output_.reading.get(), "the command's output");
}

void Stage::listen() {
    PipeSettings transfer = plan_->transfer;
    transfer.patience = std::chrono::nanoseconds::max();  // others connect once all are ready
    if (plan_->input && target_) {
        const PipeAddress address{parseUrl(*plan_->input), true};
        incoming_ = std::make_unique<PipeWorker>(std::make_unique<PipeReceiver>(transfer, address, *target_),
                                                 std::vector{reachedAt(address)}, plan_->numa);
    }
    if (plan_->output && source_) {
        outgoing_ = sender(transfer, {parseUrl(*plan_->output), true});
    }
}

/// The address that others use, if it stands for all of this host's.
PipeAddress Stage::reachedAt(PipeAddress address) const {
    if (address.listen && !address.url.isName() && address.url.host.empty()) {
        address.url.host = plan_->route;
    }
    return address;
}

/// Takes source_.
std::unique_ptr<PipeWorker> Stage::sender(const PipeSettings& transfer, const PipeAddress& address) {
    auto run = std::make_unique<PipeSender>(transfer, std::vector{address}, std::move(*source_));
    source_.reset();
    return std::make_unique<PipeWorker>(std::move(run), std::vector{reachedAt(address)}, plan_->numa);
}

void Stage::reportReady() {
    if (!plan_ || ready_ || failed_) {
        return;
    }
    StageReady ready;
    for (const auto& [worker, addresses] :
         {std::pair{incoming_.get(), &ready.input}, std::pair{outgoing_.get(), &ready.output}}) {
        if (worker != nullptr) {
            worker->run().changed().clear();
            *addresses = worker->run().status().addresses;
            if (addresses->empty()) {
                return;
            }
        }
    }
    ready_ = true;
    report(ready);
}

void Stage::obey(const StageStart& start) {
    if (!ready_ || started_) {
        throw Error(ErrorKind::Peer, "a start without a plan");
    }
    if (failed_) {
        return;  // sent before the failure was known: starting now would take truncated input for complete
    }
    started_ = true;
    if (start.connect && source_) {
        outgoing_ = sender(plan_->transfer, {parseUrl(*start.connect), false});
    }
    if (plan_->kind == StageKind::Command) {
        runCommand();
    }
}

void Stage::runCommand() {
    command_ = std::make_unique<SpawnedProcess>(std::vector<std::string>{"/bin/sh", "-c", plan_->text},
                                                SpawnOptions{.input = input_.reading.get(),
                                                             .output = output_.writing.get(),
                                                             .group = guard_.group(),
                                                             .usualSignals = true});
    input_.reading.reset();
    output_.writing.reset();
}

void Stage::obey(const StageCommit& /*commit*/) {
    if (!done_) {
        throw Error(ErrorKind::Peer, "a commit of what is not done");
    }
    if (target_) {
        target_->takeName();
    }
    committed_ = true;
    report(StageCommitted{});
}

void Stage::reportFlow() {
    flowReported_ = nowNs();
    report(StageFlow{incoming_->run().status()});
}

/// If a stream has ended: reports a failure, and drops it.
bool Stage::takeEnd(std::unique_ptr<PipeWorker>& worker, std::optional<NumaStats>& place) {
    if (!worker || !worker->ended()) {
        return false;
    }
    const PipeWorker::End end = worker->end();
    if (end.code != 0 && end.code != kBrokenPipeCode) {
        fail(end);  // first: the command must not take truncated input for complete
    }
    if (worker == incoming_ && plan_->flow) {
        reportFlow();
    }
    place = worker->place();
    worker.reset();
    return true;
}

/// Checks whether the command has all of its input or wants no more.
void Stage::watchIncoming() {
    if (takeEnd(incoming_, inputPlace_) && plan_->kind == StageKind::Command) {
        target_.reset();
        input_.writing.reset();
        guard_.endInput();
    }
}

/// Checks whether the command's output has ended, or nobody wants more of it: then SIGPIPE tells the command.
void Stage::watchOutgoing() {
    if (takeEnd(outgoing_, outputPlace_)) {
        output_.reading.reset();
    }
}

void Stage::reportDone() {
    const bool idle = !incoming_ && !outgoing_ && (!command_ || status_);
    if (started_ && idle && !done_ && !failed_) {
        done_ = true;
        report(StageDone{status_.value_or(0), inputPlace_, outputPlace_});
    }
}

void Stage::fail(const PipeWorker::End& end) {
    if (!failed_) {
        failed_ = true;
        report(StageFailed{end.code, end.text});
    }
    stopCommand();
}

/// Nobody must take truncated data for complete: the next stage learns of the failure before the command's
/// output ends, and the command ends before its input does.
void Stage::stopCommand() {
    if (outgoing_) {
        outgoing_->run().cancel();
        waitReadable({outgoing_->endedDescriptor()}, kGoodbye);
    }
    if (!command_) {
        return;
    }
    if (!status_) {
        command_->signal(SIGTERM);
        waitReadable({command_->descriptor()}, kTermination);
        status_ = command_->status();
    }
    command_->signal(SIGKILL);  // its whole group, including background processes
}

void Stage::giveUp() {
    if (!committed_) {
        stopCommand();
    } else if (command_) {
        command_->letGo();
    }
    guard_.release();
    outgoing_.reset();
    incoming_.reset();
    if (target_ && !target_->leftBehind().empty()) {
        report(StageLeft{target_->leftBehind()});
    }
    control_.flush(Deadline::in(kGoodbye));
}

}  // namespace

int runStage() {
    installInterruptHandler();
    Stage stage;
    return stage.run();
}

}  // namespace verbcast
