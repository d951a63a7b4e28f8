#include "app/pipe/pipe_command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/option_values.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr const char* kPipeFooter =
    "Addresses: verbs://host:port, tcp://host:port, shm://name, or host:port for the best that works (port "
    "7423\n"
    "if left out). Either end may be started first, and either may listen.\n"
    "Exit codes: 0 everything was delivered and flushed; 1 internal error, 2 usage, 3 input, 4 network or "
    "peer lost,\n"
    "5 memory or disk space, 6 refused or protocol, 7 device, 9 checksum mismatch, 130 interrupted, 141 the "
    "output's\n"
    "reader has gone. Both ends end with the code of the one that failed.";

std::string footer(const std::string& examples) {
    return "Examples:\n" + examples + kPipeFooter;
}

std::chrono::nanoseconds parseTime(const std::string& option, const std::string& text, double least) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !std::isfinite(value) || value < least || value > 1e9) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} {}: a number of seconds from {} expected", option, text, least));
    }
    return std::chrono::nanoseconds(static_cast<std::int64_t>(value * 1e9));
}

}  // namespace

void TransferCommandLine::add(CLI::App& command) {
    commands_.push_back(&command);
    command
        .add_option("--block", block_, "Largest block, 1 to 64M; the smaller of the two ends' values is used")
        ->capture_default_str()
        ->type_name("BYTES");
    command
        .add_option("--depth", depth_,
                    "Blocks in flight, 1 to 64; the smaller of the two ends' values is used")
        ->capture_default_str()
        ->type_name("N");
    command
        .add_option("--checksum", checksum_,
                    "Verify all bytes end to end with xxh3; one side asking is enough")
        ->type_name("xxh3")
        ->expected(0, 1);
}

void TransferCommandLine::finish(PipeSettings& settings) const {
    settings.blockBytes = parseByteCount("--block", block_, kLeastBlockBytes, kMaxBlockBytes);
    settings.depth = depth_;
    if (depth_ < 1 || depth_ > kMaxDepth || settings.blockBytes * depth_ > kMaxRingBytes) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--depth {}: 1 to {} expected, and at most {} bytes together", depth_,
                                kMaxDepth, kMaxRingBytes));
    }
    settings.checksum = std::any_of(commands_.begin(), commands_.end(),
                                    [](const CLI::App* command) { return command->count("--checksum") > 0; });
    if (!checksum_.empty() && checksum_ != "xxh3") {
        throw Error(ErrorKind::Usage, fmt::format("--checksum {}: xxh3 expected", checksum_),
                    "write --checksum xxh3");
    }
}

PipeCommandLine::PipeCommandLine(CLI::App& app)
    : pipe_(app.add_subcommand("pipe", "Pipe bytes from one machine to another: send, recv, relay, run")) {
    pipe_->require_subcommand(1);
    pipe_->footer(
        footer("  verbcast pipe recv > copy                       # on the one machine\n"
               "  verbcast pipe send that-host -v < file          # on the other\n"));
    addSend();
    addReceive();
    addRelay();
}

void PipeCommandLine::addSend() {
    send_ = pipe_->add_subcommand("send", "Send standard input");
    send_->footer(
        footer("  tar c folder | verbcast pipe send wall\n"
               "  verbcast pipe send --input disk.img --checksum xxh3 -v verbs://store\n"
               "  verbcast pipe send node1 node2 node3 < model.bin\n"));
    send_->add_option("URL", urls_,
                      "The receiver; several get the same, at the pace of the slowest (default: localhost)");
    send_->add_flag("--listen", listen_, "Wait there for the receiver instead of connecting to it");
    send_->add_option("--input", options_.input, "Read this file instead of standard input")
        ->type_name("FILE");
    addCommon(*send_);
}

void PipeCommandLine::addReceive() {
    receive_ = pipe_->add_subcommand("recv", "Receive and write to standard output");
    receive_->footer(
        footer("  verbcast pipe recv | tar x\n"
               "  verbcast pipe recv tcp://:7000 --output disk.img --resume\n"
               "  verbcast pipe recv --connect shm://frames > frames.bin\n"));
    receive_->add_option("URL", urls_, "Where to wait for the sender (default: every address, port 7423)")
        ->expected(0, 1);
    receive_->add_flag("--connect", connect_, "Connect to the sender, which listens there");
    receive_
        ->add_option("--output", options_.output,
                     "Write this file instead of standard output: as FILE.part, renamed when complete")
        ->type_name("FILE");
    receive_->add_flag("--resume", options_.resume,
                       "Continue behind what FILE.part holds, if the sender's stream begins with it");
    addCommon(*receive_);
}

void PipeCommandLine::addRelay() {
    relay_ = pipe_->add_subcommand("relay", "Pass blocks on from one connection to another, untouched");
    relay_->footer(
        footer("  verbcast pipe relay verbs://:7423 tcp://far-host\n"
               "  verbcast pipe relay shm://in :7423 --listen\n"));
    relay_->add_option("URLS", urls_, "Where to wait for the sender, and the receiver to connect to")
        ->type_name("FROM TO")
        ->expected(2)
        ->required();
    relay_->add_flag("--connect", connect_, "Connect to the sender, which listens at FROM");
    relay_->add_flag("--listen", listen_, "Wait at TO for the receiver");
    addCommon(*relay_);
}

void PipeCommandLine::addCommon(CLI::App& command) {
    transfer_.add(command);
    command
        .add_option("--wait", wait_,
                    "Give up if the other end has not appeared after this time (default: never)")
        ->type_name("S");
    command.add_option("--timeout", timeout_, "Treat this long a silence of the other end as a loss")
        ->capture_default_str()
        ->type_name("S");
    trust_.addTo(command);
    command.add_option("--json", options_.json, "Write figures here at the end (- for stdout)")
        ->type_name("FILE");
    command.add_flag("-v,--verbose", options_.verbose, "Show bytes, rate, average and the time left");
    command.add_flag("-q,--quiet", options_.quiet, "Print errors only");
}

PipeKind PipeCommandLine::kind() const {
    return send_->parsed() ? PipeKind::Send : receive_->parsed() ? PipeKind::Receive : PipeKind::Relay;
}

std::vector<PipeAddress> PipeCommandLine::addresses(PipeKind kind) const {
    std::vector<PipeAddress> list;
    for (const std::string& url : urls_) {
        const bool receives = kind == PipeKind::Receive || (kind == PipeKind::Relay && list.empty());
        list.push_back({parseUrl(url), receives ? !connect_ : listen_});
    }
    if (list.empty()) {
        list.push_back({Url{}, kind == PipeKind::Receive ? !connect_ : listen_});
    }
    for (PipeAddress& address : list) {
        if (!address.listen && address.url.host.empty()) {
            address.url.host = "localhost";
        }
    }
    return list;
}

PipeOptions PipeCommandLine::finish() const {
    PipeOptions options = options_;
    options.kind = kind();
    options.addresses = addresses(options.kind);
    PipeSettings& settings = options.settings;
    transfer_.finish(settings);
    if (!wait_.empty()) {
        settings.patience = parseTime("--wait", wait_, 0);
    }
    settings.peerTimeout =
        std::chrono::duration_cast<std::chrono::milliseconds>(parseTime("--timeout", timeout_, 0.5));
    const bool listens = std::ranges::any_of(options.addresses, &PipeAddress::listen);
    settings.trust = trust_.trust(listens, options.addresses.empty() ? Url{} : options.addresses.front().url);
    if (options.resume && options.output.empty()) {
        throw Error(ErrorKind::Usage, "--resume continues a file", "give it with --output FILE");
    }
    if (options.json == "-" && options.kind == PipeKind::Receive && options.output.empty()) {
        throw Error(ErrorKind::Usage, "--json - and the stream would both go to standard output",
                    "give --json FILE, or --output FILE");
    }
    if (options.quiet && options.verbose) {
        throw Error(ErrorKind::Usage, "-q and -v cannot be combined");
    }
    return options;
}

}  // namespace verbcast
