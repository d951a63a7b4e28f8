#include "app/pipe/run/pipeline_command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "app/cli/numa_choice.h"
#include "app/cli/option_values.h"
#include "app/cli/shell_words.h"
#include "core/base/error.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

constexpr const char* kRemedy = "for example verbcast pipe run host1:'tr a-z A-Z' host2:rev < in > out";
// An order is a single line, which the kernel's pipes accept without waiting for a reader.
constexpr std::size_t kMaxTextLength = 30'000;

constexpr const char* kRunFooter =
    "Each command runs on its host with sh -c, with its input from the stage before and its output to the "
    "next;\n"
    "the first reads this program's standard input, the last writes to its standard output. host:'<FILE' as "
    "the\n"
    "first and host:'>FILE' as the last stage read and write a file there; it gets its name when everything "
    "succeeded.\n"
    "Hosts are reached with ssh, with its own keys, configuration and options, and need verbcast of this "
    "version.\n"
    "The bytes do not pass through ssh: each stage connects to the next, at the address at which ssh "
    "reached\n"
    "it, on a free port; the last one waits for this machine.\n"
    "Examples:\n"
    "  verbcast pipe run host1:'tr a-z A-Z' host2:rev < in > out\n"
    "  verbcast pipe run -v store:'zfs send tank/a@now' copy:'zfs recv tank/b'\n"
    "  verbcast pipe run camera:'ffmpeg -i /dev/video0 -f nut -' | ffplay -\n"
    "  verbcast pipe run --address node1=10.0.0.1 node1:'<disk.img' node2:'>disk.img'\n"
    "Exit code: the last command's (128 and more: a signal ended it); with --pipefail that of the first "
    "that\n"
    "failed. If the pipe itself fails, all commands are ended on all hosts: 2 usage, 3 a file that cannot be "
    "read, 4 a\n"
    "host or connection lost, 5 disk space, 6 no verbcast there or another version, 9 a wrong checksum,\n"
    "130 interrupted.";

constexpr const char* kStageFooter =
    "Not for direct use: `verbcast pipe run` starts it at each host over ssh. It takes orders as JSON lines "
    "on its\n"
    "standard input and reports on its standard output (app/pipe/run/stage_protocol.h). When its input ends "
    "it\n"
    "ends the command that it runs, and itself.";

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw Error(ErrorKind::Usage, fmt::format("\"{}\": {}", text, why), kRemedy);
}

std::string trimmed(const std::string& text) {
    const auto begin = text.find_first_not_of(" \t\n");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

/// Only the first and last stage may be files.
void checkPlaces(const std::vector<PipelineStage>& stages, const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i < stages.size(); ++i) {
        if (stages[i].kind == StageKind::Read && i != 0) {
            refuse(texts[i], "only the first stage can read a file");
        }
        if (stages[i].kind == StageKind::Write && i + 1 != stages.size()) {
            refuse(texts[i], "only the last stage can write a file");
        }
    }
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

}  // namespace

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

PipelineCommandLine::PipelineCommandLine(CLI::App& pipe)
    : run_(pipe.add_subcommand("run", "Run commands on several hosts with pipes between them")),
      stage_(pipe.add_subcommand("stage", "One host's part of `verbcast pipe run`")->group("")) {
    run_->footer(kRunFooter);
    stage_->footer(kStageFooter);
    run_->add_option("STAGES", stages_, "host1:'command' host2:'command' ...")
        ->type_name("HOST:COMMAND ...")
        ->required();
    addAccess();
    transfer_.add(*run_);
    run_->add_flag("--pipefail", pipefail_, "End with the code of the first command that failed");
}

void PipelineCommandLine::addAccess() {
    run_->add_option("--ssh", ssh_, "Command that reaches a host; the host and its command are appended")
        ->capture_default_str()
        ->type_name("COMMAND");
    run_->add_option("--program", program_, "verbcast on the hosts: a path, or a name in the PATH there")
        ->capture_default_str()
        ->type_name("PATH");
    run_->add_option("--transport", transport_, "auto, or one of " + transportNames() + ", for all hosts")
        ->capture_default_str()
        ->type_name("NAME");
    run_->add_option("--address", routes_,
                     "Send a host's data to this address instead of the one ssh uses; once per host")
        ->type_name("HOST=ADDRESS")
        ->allow_extra_args(false);
    run_->add_option(
            "--wait", wait_,
            "Give up with exit code 4 if a host does not answer or cannot connect to the next within "
            "this\ntime (default: what ssh allows, then 10 s for each connection)")
        ->type_name("S");
    addNuma(*run_, numa_, "NUMA node for memory and threads, on every host.");
    run_->add_option("--stats-json", statsJson_, "Write statistics here at the end (- for stdout)")
        ->type_name("FILE");
    verbosity_.addTo(*run_, "Show bytes, rate and average of each hop");
}

/// `options` already has its stages.
void PipelineCommandLine::finishAccess(PipelineOptions& options) const {
    for (const std::string& route : routes_) {
        const auto equals = route.find('=');
        const std::string host = route.substr(0, equals);
        const bool known = std::any_of(options.stages.begin(), options.stages.end(),
                                       [&](const PipelineStage& stage) { return stage.host == host; });
        if (equals == std::string::npos || equals + 1 == route.size() || !known) {
            throw Error(ErrorKind::Usage,
                        fmt::format("--address {}: HOST=ADDRESS expected, for a host that is named", route),
                        "for example --address node1=10.0.0.1");
        }
        options.routes[host] = route.substr(equals + 1);
    }
    options.ssh = shellWords(ssh_);
    if (options.ssh.empty()) {
        throw Error(ErrorKind::Usage, "--ssh: a program and its arguments expected",
                    "for example --ssh 'ssh -p 2222 -i key'");
    }
    options.program = program_;
    options.transport = transport_ == "auto" ? "" : parseTransport(transport_, "auto");
    if (!wait_.empty()) {
        options.patience = parseDuration("--wait", wait_, 0);
    }
    options.numa = parseNuma(numa_);
    options.statsJson = statsJson_;
    options.verbosity = verbosity_.verbosity();
}

bool PipelineCommandLine::parsed() const {
    return run_->parsed() || stage_->parsed();
}

std::variant<PipelineOptions, StageOptions> PipelineCommandLine::finish() const {
    if (stage_->parsed()) {
        return StageOptions{};
    }
    PipelineOptions options;
    for (const std::string& text : stages_) {
        options.stages.push_back(parseStage(text));
    }
    checkPlaces(options.stages, stages_);
    finishAccess(options);
    transfer_.finish(options.transfer);
    if (options.statsJson == "-" && options.stages.back().kind != StageKind::Write) {
        throw Error(ErrorKind::Usage, "--stats-json - and the stream would both go to standard output",
                    "give --stats-json FILE");
    }
    options.pipefail = pipefail_;
    return options;
}

}  // namespace verbcast
