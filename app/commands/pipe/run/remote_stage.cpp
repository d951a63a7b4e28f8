#include "app/commands/pipe/run/remote_stage.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "core/base/version.h"

namespace verbcast {
namespace {

// ssh lingers while anything, such as a command's background children, holds the stage's standard error.
constexpr TimestampNs kSshLingers = 1'000'000'000;
constexpr int kSshFailed = 255;
constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;

std::vector<std::string> commandLine(const PipelineStage& stage, const PipelineOptions& options) {
    std::vector<std::string> words = options.ssh;
    words.push_back(stage.host);
    words.push_back(options.program + " pipe stage");
    return words;
}

}  // namespace

PipelineFailure failureOfPipe(int code, const std::string& host, const std::string& text) {
    const bool atOtherEnd = text.starts_with(kOtherEnd);
    const bool notReached = code == static_cast<int>(ErrorKind::Network) && !atOtherEnd;
    return {code, fmt::format("{}: {}", host, text),
            notReached ? "if the hosts do not reach each other there, say where the data goes with --address "
                         "HOST=ADDRESS"
                       : "",
            atOtherEnd};
}

struct RemoteStage::Wires {
    Pipe orders = makePipe("a pipe to ssh");
    Pipe reports = makePipe("a pipe from ssh");
    Pipe errors = makePipe("a pipe from ssh");
};

RemoteStage::RemoteStage(const PipelineStage& stage, const PipelineOptions& options)
    : RemoteStage(stage, options, Wires()) {}

RemoteStage::RemoteStage(const PipelineStage& stage, const PipelineOptions& options, Wires wires)
    : stage_(stage),
      options_(options),
      channel_(std::move(wires.reports.reading), std::move(wires.orders.writing)),
      ssh_(commandLine(stage, options), {.input = wires.orders.reading.get(),
                                         .output = wires.reports.writing.get(),
                                         .errors = wires.errors.writing.get(),
                                         .usualSignals = true,
                                         .shielded = true}),
      errors_(std::move(wires.errors.reading)) {}

void RemoteStage::dismiss() {
    dismissed_ = true;
    channel_.closeWriting();
}

void RemoteStage::look() {
    channel_.flush();
    channel_.receive();
    while (const auto line = channel_.next()) {
        take(*line);
    }
    if (!channel_.ended() || ended_) {
        return;
    }
    if (channelEndedAt_ == 0) {
        channelEndedAt_ = nowNs();
    }
    if (const auto status = ssh_.status()) {
        ended_ = true;
        errors_.finish();  // before our own message
        explainEnd(*status);
    } else if (nowNs() - channelEndedAt_ > kSshLingers) {
        kill(SIGKILL);
    }
}

void RemoteStage::kill(int signal) {
    killed_ = true;
    ssh_.signal(signal);
}

void RemoteStage::take(const std::string& line) {
    // Login scripts may print something first.
    if (!hello_ && !line.starts_with('{')) {
        return;
    }
    try {
        std::visit([this](const auto& report) { handle(report); }, decodeReport(line));
    } catch (const Error& error) {
        fail(error.kind(), error.what());
    }
}

void RemoteStage::handle(const StageHello& hello) {
    hello_ = hello;
    if (hello.version != kVersion) {
        fail(ErrorKind::Peer,
             fmt::format("verbcast there is version {}, here it is {}", hello.version, kVersion),
             fmt::format("install version {} there, or name it with --program PATH", kVersion));
    }
}

void RemoteStage::handle(const StageFailed& failed) {
    if (!failure_) {
        failure_ = failureOfPipe(failed.code, stage_.host, failed.text);
    }
}

/// Keeps only the first failure.
void RemoteStage::fail(ErrorKind kind, const std::string& text, const std::string& remedy) {
    if (!failure_) {
        failure_ = PipelineFailure{static_cast<int>(kind), fmt::format("{}: {}", stage_.host, text), remedy};
    }
}

std::string RemoteStage::route() const {
    const auto& routes = options_.routes;
    const auto given = std::find_if(routes.rbegin(), routes.rend(),
                                    [&](const auto& route) { return route.first == stage_.host; });
    if (given != routes.rend()) {
        return given->second;
    }
    return hello_->address.empty() ? stage_.host.substr(stage_.host.find('@') + 1) : hello_->address;
}

Url RemoteStage::addressOf(const std::vector<std::string>& listening) const {
    if (listening.empty()) {
        throw Error(ErrorKind::Peer, fmt::format("{} does not say where it listens", stage_.host));
    }
    Url url = parseUrl(listening.front());  // all addresses, and the port
    url.scheme = options_.transport;
    if (!url.isName()) {
        url.host = route();
    }
    return url;
}

void RemoteStage::explainEnd(int status) {
    // What happens to a lost stage's neighbours may be reported first.
    const bool wasLost = !killed_ && (status == kSshFailed || status > 128);
    const bool asOrdered = dismissed_ && !wasLost;
    const bool hasNothingLeftToDo = done_ && stage_.kind != StageKind::Write;
    if (asOrdered || hasNothingLeftToDo) {
        return;
    }
    if (!hello_) {
        explainSilence(status);
        return;
    }
    fail(ErrorKind::Network, status == kSshFailed ? "the connection was lost, or verbcast there was killed"
                             : status > 128       ? fmt::format("ssh was killed by signal {}", status - 128)
                                            : fmt::format("verbcast there ended early (ssh: {})", status));
}

void RemoteStage::explainSilence(int status) {
    if (status == kSshFailed) {
        fail(ErrorKind::Network, "ssh cannot reach the host; its message is above",
             fmt::format("check that  ssh {} true  works; other options of ssh go into --ssh 'ssh ...'",
                         stage_.host));
    } else if (status == kNotFound || status == kNotExecutable) {
        fail(ErrorKind::Peer,
             fmt::format("there is no program \"{}\" (the shell there ended with {})", options_.program,
                         status),
             fmt::format("install verbcast {} there, or say where it is with --program PATH", kVersion));
    } else if (status > 128) {
        fail(ErrorKind::Network, fmt::format("ssh was killed by signal {}", status - 128));
    } else {
        fail(ErrorKind::Peer,
             fmt::format("the verbcast there does not know \"{} pipe stage\" (exit code {}); here verbcast "
                         "is version {}",
                         options_.program, status, kVersion),
             fmt::format("install version {} there, or name it with --program PATH", kVersion));
    }
}

}  // namespace verbcast
