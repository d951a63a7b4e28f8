#include "app/commands/pipe/pipe_command.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/numa_choice.h"
#include "app/cli/peer_options.h"
#include "app/cli/report_error.h"
#include "app/cli/verbosity.h"
#include "app/commands/pipe/pipe_report.h"
#include "app/commands/pipe/pipe_worker.h"
#include "app/host/interrupt.h"
#include "core/base/os/standard_streams.h"
#include "core/base/os/whole_file.h"
#include "core/base/text/clean_text.h"
#include "core/pipe/pipe_receiver.h"
#include "core/pipe/pipe_relay.h"
#include "core/pipe/pipe_sender.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

constexpr std::chrono::nanoseconds kLineInterval = std::chrono::milliseconds(250);

std::unique_ptr<PipeRun> makeRun(const PipeOptions& options, PipeOutput* output) {
    const auto& addresses = options.addresses;
    switch (options.kind) {
        case PipeKind::Send:
            return std::make_unique<PipeSender>(options.settings, addresses,
                                                options.input.empty()
                                                    ? PipeInput(STDIN_FILENO, "standard input")
                                                    : PipeInput::open(options.input));
        case PipeKind::Receive:
            return std::make_unique<PipeReceiver>(options.settings, addresses.at(0), *output);
        case PipeKind::Relay:
            return std::make_unique<PipeRelay>(options.settings, addresses.at(0), addresses.at(1));
    }
    return nullptr;
}

/// Null unless it receives.
std::unique_ptr<PipeOutput> makeOutput(const PipeOptions& options) {
    if (options.kind != PipeKind::Receive) {
        return nullptr;
    }
    return options.output.empty() ? std::make_unique<PipeOutput>(STDOUT_FILENO, "standard output")
                                  : PipeOutput::toFile(options.output, options.resume);
}

/// Runs the requested pipe and reports the result.
class PipeCommand {
  public:
    /// Construct before anything opens a descriptor: the standard ones may be closed.
    PipeCommand(const PipeOptions& options, NumaStats place)
        : options_(options),
          place_(std::move(place)),
          output_(makeOutput(options)),
          run_(makeRun(options, output_.get())),
          progress_(options.verbosity) {}
    int run();

  private:
    void watch();
    bool verbose() const { return options_.verbosity == Verbosity::Verbose; }
    int exitCode();
    void writeJson(int exitCode) const;

    const PipeOptions& options_;
    const NumaStats place_;
    std::unique_ptr<PipeOutput> output_;
    std::string error_;
    std::unique_ptr<PipeRun> run_;  // the worker's, once that has started
    PipeProgress progress_;
    std::optional<PipeWorker> worker_;
};

int PipeCommand::run() {
    worker_.emplace(std::move(run_), place_);
    watch();
    progress_.finish(worker_->run().status(), !worker_->end().failure);
    const int code = exitCode();
    writeJson(code);
    return code;
}

void PipeCommand::watch() {
    PipeRun& run = worker_->run();
    bool cancelled = false;
    while (!worker_->ended()) {
        progress_.show(run.status());
        // Once set, the interrupt would end every wait at once.
        waitReadable({worker_->endedDescriptor(), run.changed().descriptor(),
                      cancelled ? -1 : interruptEvent().descriptor()},
                     verbose() ? Deadline::in(kLineInterval) : Deadline::never());
        run.changed().clear();
        if (!cancelled && interruptEvent().isSet()) {
            cancelled = true;
            run.cancel();
        }
    }
}

int PipeCommand::exitCode() {
    if (!worker_->end().failure) {
        return 0;
    }
    error_ = worker_->end().text;
    int code = worker_->end().code;
    try {
        std::rethrow_exception(worker_->end().failure);
    } catch (const PipeStopped& stopped) {
        // Like any program in a shell pipe: no message.
        if (verbose()) {
            printToStderr("verbcast: {}\n", cleanLine(stopped.what()));
        }
    } catch (const std::exception&) {
        code = reportCurrentError();
    }
    const std::string left = output_ ? output_->leftBehind() : "";
    if (!left.empty() && options_.verbosity != Verbosity::Quiet) {
        printToStderr("verbcast: {}\n", cleanLine(left));
    }
    return code;
}

void PipeCommand::writeJson(int exitCode) const {
    if (options_.statsJson.empty()) {
        return;
    }
    const PipeStatus status = worker_->run().status();
    nlohmann::ordered_json json;
    json["schema"] = "verbcast-pipe/1";
    json["role"] = options_.kind == PipeKind::Send      ? "send"
                   : options_.kind == PipeKind::Receive ? "recv"
                                                        : "relay";
    json["peer"] = textOrNull(status.peer);
    json["address"] = textOrNull(status.address);
    json["resumed_at"] = status.start;
    json.update(transferJson(status));
    json["numa"] = fieldsJson(place_);
    json["exit_code"] = exitCode;
    json["error"] = textOrNull(error_);
    writeReport(options_.statsJson, json);
}

}  // namespace

int runPipe(const PipeOptions& options) {
    setVerbosity(options.verbosity);
    checkWritable(options.statsJson);
    for (const auto& [url, listen] : options.addresses) {
        checkHostExists({.url = url, .listen = listen});
    }
    NumaStats place = PipeWorker::choosePlace(options.numa, options.addresses);
    takePlace(place);
    PipeCommand command(options, std::move(place));
    installInterruptHandler();
    return command.run();
}

}  // namespace verbcast
