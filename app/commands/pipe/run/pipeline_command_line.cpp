#include "app/commands/pipe/run/pipeline_command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/cli/numa_choice.h"
#include "app/cli/shell_words.h"
#include "app/cli/verbosity.h"
#include "app/commands/pipe/pipe_command_line.h"
#include "core/base/error.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

constexpr const char* kRemedy = "for example verbcast pipe run host1:'tr a-z A-Z' host2:rev < in > out";
// An order is a single line, which the kernel's pipes accept without waiting for a reader.
constexpr std::size_t kMaxTextLength = 30'000;

void describeRun(Remarks& remarks) {
    remarks.text =
        "Each command runs on its host with sh -c, with its input from the stage before and its output to "
        "the next; the first reads this program's standard input, the last writes to its standard output. "
        "host:'<FILE' as the first and host:'>FILE' as the last stage read and write a file there; it gets "
        "its name when everything succeeded. Hosts are reached with ssh, with its own keys, configuration "
        "and options, and need verbcast of this version. The bytes do not pass through ssh: each stage "
        "connects to the next, at the address at which ssh reached it, on a free port; the last one waits "
        "for this machine.";
    remarks.examples =
        "verbcast pipe run host1:'tr a-z A-Z' host2:rev < in > out\n"
        "verbcast pipe run -v store:'zfs send tank/a@now' copy:'zfs recv tank/b'\n"
        "verbcast pipe run camera:'ffmpeg -i /dev/video0 -f nut -' | ffplay -\n"
        "verbcast pipe run --address node1=10.0.0.1 node1:'<disk.img' node2:'>disk.img'";
    remarks.exitCodes =
        "that of the last command (128 and more: a signal ended it); with --pipefail, or into "
        "host:'>FILE', that of the first that failed. If the pipe itself fails, all commands are "
        "ended on all hosts: 2 usage, 3 a file that cannot be read, 4 a host or connection lost, 5 "
        "disk space, 6 no verbcast there or another version, 9 a wrong checksum, 130 interrupted.";
}

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw Error(ErrorKind::Usage, fmt::format("\"{}\": {}", text, why), kRemedy);
}

std::string trimmed(const std::string& text) {
    const auto begin = text.find_first_not_of(" \t\n");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

/// Position where the host ends in "host:more": the first colon outside brackets.
std::size_t endOfHost(const std::string& text) {
    const auto open = text.find('[');
    const auto colon = text.find(':');
    if (open == std::string::npos || colon < open) {
        return colon;
    }
    const auto close = text.find(']');
    return close == std::string::npos ? close : text.find(':', close);
}

/// "user@[::1]" as ssh takes it.
std::string hostOf(const std::string& text, std::size_t end) {
    std::string host = text.substr(0, end);
    std::erase_if(host, [](char c) { return c == '[' || c == ']'; });
    if (host.empty() || host.starts_with('-') || host.find_first_of(" \t\n") != std::string::npos) {
        refuse(text, "a host expected before the colon");
    }
    return host;
}

/// "host:command", "user@host:<file", "[::1]:>file"
PipelineStage parseStage(const std::string& text) {
    const auto colon = endOfHost(text);
    if (colon == std::string::npos || colon == 0) {
        refuse(text, "host:'command' expected");
    }
    PipelineStage stage;
    stage.host = hostOf(text, colon);
    stage.text = trimmed(text.substr(colon + 1));
    if (stage.text.starts_with('<') || stage.text.starts_with('>')) {
        stage.kind = stage.text.front() == '<' ? StageKind::Read : StageKind::Write;
        stage.text = trimmed(stage.text.substr(1));
    }
    if (stage.text.empty()) {
        refuse(text, stage.kind == StageKind::Command ? "a command is missing behind the host"
                                                      : "the name of a file is missing");
    }
    if (stage.text.size() > kMaxTextLength) {
        refuse(text.substr(0, 60) + "...", fmt::format("{} bytes at most", kMaxTextLength));
    }
    return stage;
}

[[noreturn]] void refuseRoute(const std::string& route) {
    throw Error(ErrorKind::Usage,
                fmt::format("--address {}: HOST=ADDRESS expected, for a host that is named", route),
                "for example --address node1=10.0.0.1");
}

Value<std::pair<std::string, std::string>> routeValue() {
    return {[](const std::string&, const std::string& text) {
                const auto equals = text.find('=');
                if (equals == std::string::npos || equals + 1 == text.size()) {
                    refuseRoute(text);
                }
                return std::pair(text.substr(0, equals), text.substr(equals + 1));
            },
            [](const auto& route) { return route.first + "=" + route.second; }};
}

Value<std::vector<std::string>> sshValue() {
    return {[](const std::string& name, const std::string& text) {
                std::vector<std::string> words = shellWords(text);
                if (words.empty()) {
                    throw Error(ErrorKind::Usage, name + ": a program and its arguments expected",
                                "for example --ssh 'ssh -p 2222 -i key'");
                }
                return words;
            },
            [](const std::vector<std::string>& words) { return shellQuoted(words); }};
}

/// Empty for auto.
Value<std::string> hopTransportValue() {
    Value<std::string> value = transportValue("auto");
    value.parse = [parse = value.parse](const std::string& name, const std::string& text) {
        return text == "auto" ? "" : parse(name, text);
    };
    value.text = [](const std::string& text) { return text.empty() ? "auto" : text; };
    return value;
}

/// How to reach hosts and send data to them.
void addAccess(OptionList& options, PipelineOptions& access) {
    options
        .addAll(seldomOption(section::kPeers, "--address", "HOST=ADDRESS",
                             "Send a host's data to this address instead of the one ssh uses; once per host"),
                access.routes, routeValue())
        .takes = BoundOption::Takes::Repeated;
    options.add(seldomOption(section::kPeers, "--ssh", "COMMAND",
                             "Command that reaches a host; the host and its command are appended"),
                access.ssh, sshValue());
    options.add(seldomOption(section::kPeers, "--program", "PATH",
                             "verbcast on the hosts: a path, or a name in the PATH there"),
                access.program);
    options.add(seldomOption(section::kPeers, "--transport", "NAME",
                             "auto, or one of " + transportNames() + ", for all hosts"),
                access.transport, hopTransportValue());
    options.add(
        seldomOption(section::kEnd, "--wait", "S",
                     "Give up with exit code 4 if a host does not answer or cannot connect to the next "
                     "within this time (default: what ssh allows, then 10 s for each connection)"),
        access.patience, secondsValue(0));
}

/// Only the first and last stage may be files.
void checkPlaces(const std::vector<PipelineStage>& stages) {
    for (const PipelineStage& stage : stages) {
        if (stage.kind == StageKind::Read && &stage != &stages.front()) {
            refuse(stage.host + ":<" + stage.text, "only the first stage can read a file");
        }
        if (stage.kind == StageKind::Write && &stage != &stages.back()) {
            refuse(stage.host + ":>" + stage.text, "only the last stage can write a file");
        }
    }
}

}  // namespace

PipelineCommandLine::PipelineCommandLine(Command& pipe)
    : run_(pipe.add("run", "Run commands on several hosts with pipes between them")),
      stage_(pipe.add("stage", "One host's part of `verbcast pipe run`")) {
    describeRun(run_.remarks);
    stage_.hidden = true;
    stage_.remarks.text =
        "Not for direct use: `verbcast pipe run` starts it at each host over ssh. It takes orders as JSON "
        "lines on its standard input and reports on its standard output "
        "(app/commands/pipe/run/stage_protocol.h). "
        "When its input ends it ends the command that it runs, and itself.";
    OptionList& options = run_.options;
    options.addAll(
        option(section::kPeers, "STAGES", "HOST:COMMAND ...", "host1:'command' host2:'command' ...").needed(),
        options_.stages,
        Value<PipelineStage>{[](const std::string&, const std::string& text) { return parseStage(text); },
                             [](const PipelineStage& stage) { return stage.host + ":" + stage.text; }});
    addAccess(options, options_);
    addNuma(options, options_.numa, "NUMA node for memory and threads, on every host.");
    addStatsJson(options, options_.statsJson);
    addVerbosity(options, options_.verbosity, "Show bytes, rate and average of each hop");
    addTransfer(options, options_.transfer);
    options.add(flag(section::kEnd, "--pipefail", "End with the code of the first command that failed"),
                options_.pipefail);
}

std::variant<PipelineOptions, StageOptions> PipelineCommandLine::finish() const {
    if (stage_.chosen) {
        return StageOptions{};
    }
    checkPlaces(options_.stages);
    for (const auto& [host, address] : options_.routes) {
        if (std::ranges::find(options_.stages, host, &PipelineStage::host) == options_.stages.end()) {
            refuseRoute(host + "=" + address);
        }
    }
    checkTransfer(options_.transfer);
    if (options_.statsJson == "-" && options_.stages.back().kind != StageKind::Write) {
        throw Error(ErrorKind::Usage, "--stats-json - and the stream would both go to standard output",
                    "give --stats-json FILE");
    }
    return options_;
}

}  // namespace verbcast
