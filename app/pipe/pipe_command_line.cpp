#include "app/pipe/pipe_command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "app/cli/numa_choice.h"
#include "app/cli/option_values.h"
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
    "reader has exited. Both ends end with the code of the one that failed.";

std::string footer(const std::string& examples) {
    return "Examples:\n" + examples + kPipeFooter;
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
        ->type_name("[xxh3]")
        ->expected(0, 1);
}

void TransferCommandLine::finish(PipeSettings& settings) const {
    settings.blockBytes = parseByteCount("--block", block_, kMinBlockBytes, kMaxBlockBytes);
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

bool PipeCommandLine::parsed() const {
    return pipe_->parsed();
}

void PipeCommandLine::addSend() {
    send_ = pipe_->add_subcommand("send", "Send standard input");
    send_->footer(
        footer("  tar c folder | verbcast pipe send wall\n"
               "  verbcast pipe send --input disk.img --checksum xxh3 -v verbs://store\n"
               "  verbcast pipe send node1 node2 node3 < model.bin\n"));
    to_.addMany(
        *send_,
        {"--to,URL",
         "Connect to the receiver that listens there (default: localhost:7423); several get the same, "
         "at\nthe pace of the slowest"},
        {"--listen", "Wait here for the receiver (without a value: every address, port 7423)"});
    send_->add_option("--input", options_.input, "Read this file instead of standard input")
        ->type_name("FILE");
    addCommon(*send_);
}

void PipeCommandLine::addReceive() {
    receive_ = pipe_->add_subcommand("recv", "Receive and write to standard output");
    receive_->footer(
        footer("  verbcast pipe recv | tar x\n"
               "  verbcast pipe recv --listen tcp://:7000 --output disk.img --resume\n"
               "  verbcast pipe recv shm://frames > frames.bin\n"));
    from_.add(*receive_, {"--from,URL", "Connect to the sender that listens there"},
              {"--listen", "Wait here for the sender (default: every address, port 7423)"});
    receive_
        ->add_option("--output", options_.output,
                     "Write this file instead of standard output: as FILE.part, renamed when complete")
        ->type_name("FILE");
    receive_->add_flag("--resume", options_.resume,
                       "Append to FILE.part, if the sender's stream begins with what it holds");
    addCommon(*receive_);
}

void PipeCommandLine::addRelay() {
    relay_ = pipe_->add_subcommand("relay", "Forward blocks from one connection to another, unchanged");
    relay_->footer(
        footer("  verbcast pipe relay --from-listen --to tcp://far-host\n"
               "  verbcast pipe relay --from shm://in --listen\n"));
    relayedFrom_.add(
        *relay_, {"--from,URL", "Connect to the sender that listens there"},
        {"--from-listen", "Wait here for the sender (without a value: every address, port 7423)"});
    relayedTo_.add(*relay_, {"--to", "Connect to the receiver that listens there"},
                   {"--listen", "Wait here for the receiver (without a value: every address, port 7423)"});
    addCommon(*relay_);
}

void PipeCommandLine::addCommon(CLI::App& command) {
    transfer_.add(command);
    addWait(command, wait_);
    addTimeout(command, timeout_);
    trust_.addTo(command);
    addNuma(command, numa_);
    command.add_option("--stats-json", options_.statsJson, "Write statistics here at the end (- for stdout)")
        ->type_name("FILE");
    verbosity_.addTo(command, "Show bytes, rate, average and the time left");
}

PipeKind PipeCommandLine::kind() const {
    return send_->parsed() ? PipeKind::Send : receive_->parsed() ? PipeKind::Receive : PipeKind::Relay;
}

std::vector<PeerAddress> PipeCommandLine::addresses(PipeKind kind) const {
    switch (kind) {
        case PipeKind::Send:
            return to_.finishMany(false);
        case PipeKind::Receive:
            return {from_.finish(true)};
        case PipeKind::Relay:
            break;
    }
    if (!relayedFrom_.given() || !relayedTo_.given()) {
        throw Error(ErrorKind::Usage, "verbcast pipe relay: a sender and a receiver expected",
                    "give --from URL or --from-listen for the sender, --to URL or --listen for the receiver");
    }
    return {relayedFrom_.finish(false), relayedTo_.finish(false)};
}

PipeOptions PipeCommandLine::finish() const {
    PipeOptions options = options_;
    options.kind = kind();
    const std::vector<PeerAddress> peers = addresses(options.kind);
    for (const PeerAddress& peer : peers) {
        options.addresses.push_back({peer.url, peer.listen});
    }
    PipeSettings& settings = options.settings;
    transfer_.finish(settings);
    if (!wait_.empty()) {
        settings.patience = parseDuration("--wait", wait_, 0);
    }
    settings.peerTimeout = parseTimeout(timeout_);
    settings.trust =
        trust_.trust(std::ranges::any_of(peers, &PeerAddress::listen), options.addresses.front().url);
    if (options.resume && options.output.empty()) {
        throw Error(ErrorKind::Usage, "--resume continues a file", "give it with --output FILE");
    }
    if (options.statsJson == "-" && options.kind == PipeKind::Receive && options.output.empty()) {
        throw Error(ErrorKind::Usage, "--stats-json - and the stream would both go to standard output",
                    "give --stats-json FILE, or --output FILE");
    }
    options.verbosity = verbosity_.verbosity();
    options.numaChoice = parseNuma(numa_);
    return options;
}

}  // namespace verbcast
