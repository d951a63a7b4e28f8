#include "app/pipe/pipe_command.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/numa_choice.h"
#include "app/cli/peer_options.h"
#include "app/cli/report_error.h"
#include "app/cli/verbosity.h"
#include "app/host/interrupt.h"
#include "app/pipe/pipe_report.h"
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

std::string_view kindName(PipeKind kind) {
    switch (kind) {
        case PipeKind::Send:
            return "send";
        case PipeKind::Receive:
            return "recv";
        case PipeKind::Relay:
            return "relay";
    }
    return "";
}

/// Runs the requested pipe on a thread of its own and reports the result.
class PipeCommand {
  public:
    explicit PipeCommand(const PipeOptions& options);
    int run();

  private:
    std::unique_ptr<PipeRun> makeRun();
    void watch();
    bool verbose() const { return options_.verbosity == Verbosity::Verbose; }
    int exitCode();
    void writeJson(int exitCode) const;

    const PipeOptions& options_;
    std::unique_ptr<PipeOutput> output_;
    std::unique_ptr<PipeRun> run_;
    Event finished_;
    std::exception_ptr failure_;
    std::string error_;
    PipeProgress progress_;
};

PipeCommand::PipeCommand(const PipeOptions& options)
    : options_(options), run_(makeRun()), progress_(options.verbosity) {}

std::unique_ptr<PipeRun> PipeCommand::makeRun() {
    const auto& addresses = options_.addresses;
    switch (options_.kind) {
        case PipeKind::Send:
            return std::make_unique<PipeSender>(options_.settings, addresses,
                                                options_.input.empty()
                                                    ? PipeInput(STDIN_FILENO, "standard input")
                                                    : PipeInput::open(options_.input));
        case PipeKind::Receive:
            output_ = options_.output.empty() ? std::make_unique<PipeOutput>(STDOUT_FILENO, "standard output")
                                              : PipeOutput::toFile(options_.output, options_.resume);
            return std::make_unique<PipeReceiver>(options_.settings, addresses.at(0), *output_);
        case PipeKind::Relay:
            return std::make_unique<PipeRelay>(options_.settings, addresses.at(0), addresses.at(1));
    }
    return nullptr;
}

int PipeCommand::run() {
    {
        const std::jthread worker([this] {
            try {
                run_->run();
            } catch (...) {
                failure_ = std::current_exception();
            }
            finished_.notify();
        });
        try {
            watch();
        } catch (...) {
            run_->cancel();  // the worker may be waiting for a peer, and is joined
            throw;
        }
    }
    progress_.finish(run_->status(), !failure_);
    const int code = exitCode();
    writeJson(code);
    return code;
}

void PipeCommand::watch() {
    bool cancelled = false;
    while (!finished_.isSet()) {
        progress_.show(run_->status());
        // Once set, the interrupt would end every wait at once.
        waitReadable({finished_.descriptor(), run_->changed().descriptor(),
                      cancelled ? -1 : interruptEvent().descriptor()},
                     verbose() ? Deadline::in(kLineInterval) : Deadline::never());
        run_->changed().clear();
        if (!cancelled && interruptEvent().isSet()) {
            cancelled = true;
            run_->cancel();
        }
    }
}

int PipeCommand::exitCode() {
    if (!failure_) {
        return 0;
    }
    int code = 0;
    try {
        std::rethrow_exception(failure_);
    } catch (const PipeStopped& stopped) {
        // Like any program in a shell pipe: no message.
        error_ = stopped.what();
        if (verbose()) {
            printToStderr("verbcast: {}\n", cleanLine(stopped.what()));
        }
        code = stopped.exitCode();
    } catch (const std::exception& error) {
        error_ = error.what();
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
    const PipeStatus status = run_->status();
    nlohmann::ordered_json json;
    json["schema"] = "verbcast-pipe/1";
    json["role"] = kindName(options_.kind);
    json["peer"] = textOrNull(status.peer);
    json["address"] = textOrNull(status.address);
    json["resumed_at"] = status.start;
    json.update(transferJson(status));
    json["numa"] = fieldsJson(options_.numa);
    json["exit_code"] = exitCode;
    json["error"] = textOrNull(error_);
    writeReport(options_.statsJson, json);
}

}  // namespace

int runPipe(PipeOptions options) {
    setVerbosity(options.verbosity);
    checkWritable(options.statsJson);
    std::vector<SessionAddress> peers;
    for (const auto& [url, listen] : options.addresses) {
        peers.push_back({.url = url, .listen = listen});
        checkHostExists(peers.back());
    }
    options.numa = choosePlace(options.numaChoice, [&] { return devicesTowards(peers, "/"); });
    takePlace(options.numa);
    PipeCommand command(options);  // before anything opens a descriptor: standard input may be closed
    installInterruptHandler();
    return command.run();
}

}  // namespace verbcast
