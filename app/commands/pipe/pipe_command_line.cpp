#include "app/commands/pipe/pipe_command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/cli/numa_choice.h"
#include "app/cli/trust/trust_choice.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

void describe(Command& command, const char* examples) {
    command.remarks.text = "Either end may be started first, and either may listen.";
    command.remarks.addresses = true;
    command.remarks.examples = examples;
    command.remarks.exitCodes =
        "0 everything was delivered and flushed; 1 internal error, 2 usage, 3 input, 4 network or peer lost, "
        "5 memory or disk space, 6 refused or protocol, 7 device, 9 checksum mismatch, 130 interrupted, 141 "
        "the output's reader has exited. Both ends end with the code of the one that failed.";
}

}  // namespace

void addTransfer(OptionList& options, PipeSettings& settings) {
    options.add(seldomOption(section::kDelivery, "--block", "BYTES",
                             "Largest block, 1 to 64M; the smaller of the two ends' values is used"),
                settings.blockBytes, bytesValue(kMinBlockBytes, kMaxBlockBytes));
    options.add(
        seldomOption(
            section::kDelivery, "--depth", "N",
            fmt::format("Blocks in flight, 1 to {}; the smaller of the two ends' values is used", kMaxDepth)),
        settings.depth, numberValue(1U, kMaxDepth));
    options.addValue(
        seldomOption(section::kDelivery, "--checksum", "[xxh3]",
                     "Verify all bytes end to end with xxh3; one side asking is enough"),
        {"xxh3"},
        [&settings](const std::string& name, const std::string& text) {
            if (!text.empty() && text != "xxh3") {
                throw Error(ErrorKind::Usage, fmt::format("{} {}: xxh3 expected", name, text),
                            "write --checksum xxh3");
            }
            settings.checksum = true;
        },
        [&settings] { return std::string(settings.checksum ? "xxh3" : ""); });
}

void checkTransfer(const PipeSettings& settings) {
    if (settings.blockBytes * settings.depth > kMaxRingBytes) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--depth {}: 1 to {} expected, and at most {} bytes together", settings.depth,
                                kMaxDepth, kMaxRingBytes));
    }
}

PipeCommandLine::PipeCommandLine(Command& verbcast)
    : pipe_(verbcast.add("pipe", "Pipe bytes from one machine to another: send, recv, relay, run")),
      send_(pipe_.add("send", "Send standard input")),
      receive_(pipe_.add("recv", "Receive and write to standard output")),
      relay_(pipe_.add("relay", "Forward blocks from one connection to another, unchanged")) {
    pipe_.needsCommand = true;
    describe(pipe_,
             "verbcast pipe recv > copy                       # on the one machine\n"
             "verbcast pipe send that-host -v < file          # on the other");
    addSend();
    addReceive();
    addRelay();
}

void PipeCommandLine::addSend() {
    describe(send_,
             "tar c folder | verbcast pipe send wall\n"
             "verbcast pipe send --input disk.img --checksum xxh3 -v verbs://store\n"
             "verbcast pipe send node1 node2 node3 < model.bin");
    to_.add(send_.options,
            {"--to,URL",
             "Connect to the receiver that listens there (default: localhost:7423); several get the "
             "same, at the pace of the slowest"},
            {"--listen", "Wait here for the receiver (without a value: every address, port 7423)"}, true);
    send_.options.add(
        option(section::kSource, "--input", "FILE", "Read this file instead of standard input").file(),
        options_.input);
    addCommon(send_.options);
}

void PipeCommandLine::addReceive() {
    describe(receive_,
             "verbcast pipe recv | tar x\n"
             "verbcast pipe recv --listen tcp://:7000 --output disk.img --resume\n"
             "verbcast pipe recv shm://frames > frames.bin");
    from_.add(receive_.options, {"--from,URL", "Connect to the sender that listens there"},
              {"--listen", "Wait here for the sender (default: every address, port 7423)"});
    receive_.options.add(
        option(section::kDelivery, "--output", "FILE",
               "Write this file instead of standard output: as FILE.part, renamed when complete")
            .file(),
        options_.output);
    receive_.options.add(flag(section::kDelivery, "--resume",
                              "Append to FILE.part, if the sender's stream begins with what it holds"),
                         options_.resume);
    addCommon(receive_.options);
}

void PipeCommandLine::addRelay() {
    describe(relay_,
             "verbcast pipe relay --from-listen --to tcp://far-host\n"
             "verbcast pipe relay --from shm://in --listen");
    relayedFrom_.add(
        relay_.options, {"--from,URL", "Connect to the sender that listens there"},
        {"--from-listen", "Wait here for the sender (without a value: every address, port 7423)"});
    relayedTo_.add(relay_.options, {"--to", "Connect to the receiver that listens there"},
                   {"--listen", "Wait here for the receiver (without a value: every address, port 7423)"});
    addCommon(relay_.options);
}

void PipeCommandLine::addCommon(OptionList& list) {
    addTransfer(list, options_.settings);
    addWait(list, patience_);
    addTimeout(list, options_.settings.peerTimeout);
    addTrust(list, trust_);
    addNuma(list, options_.numa);
    addStatsJson(list, options_.statsJson);
    addVerbosity(list, options_.verbosity, "Show bytes, rate, average and the time left");
}

std::vector<SessionAddress> PipeCommandLine::peers() const {
    if (!relay_.chosen) {
        return send_.chosen ? to_.finishMany(false) : std::vector{from_.finish(true)};
    }
    if (!relayedFrom_.given() || !relayedTo_.given()) {
        throw Error(ErrorKind::Usage, "verbcast pipe relay: a sender and a receiver expected",
                    "give --from URL or --from-listen for the sender, --to URL or --listen for the receiver");
    }
    return {relayedFrom_.finish(false), relayedTo_.finish(false)};
}

PipeOptions PipeCommandLine::finish() const {
    PipeOptions options = options_;
    options.kind = send_.chosen ? PipeKind::Send : relay_.chosen ? PipeKind::Relay : PipeKind::Receive;
    for (const SessionAddress& peer : peers()) {
        options.addresses.push_back({peer.url, peer.listen});
    }
    PipeSettings& settings = options.settings;
    checkTransfer(settings);
    settings.patience = patience_.value_or(settings.patience);
    settings.trust = trustFor(trust_, std::ranges::any_of(options.addresses, &PipeAddress::listen),
                              options.addresses.front().url);
    if (options.resume && options.output.empty()) {
        throw Error(ErrorKind::Usage, "--resume continues a file", "give it with --output FILE");
    }
    if (options.statsJson == "-" && options.kind == PipeKind::Receive && options.output.empty()) {
        throw Error(ErrorKind::Usage, "--stats-json - and the stream would both go to standard output",
                    "give --stats-json FILE, or --output FILE");
    }
    return options;
}

}  // namespace verbcast
