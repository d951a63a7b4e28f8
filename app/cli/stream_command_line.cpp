#include "app/cli/stream_command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>

#include "app/cli/numa_choice.h"
#include "app/cli/option_values.h"
#include "core/base/error.h"
#include "core/flow/slot_count.h"

namespace verbcast {
namespace {

constexpr double kShortestStream = 1e-9;  // seconds
constexpr const char* kTimeoutVariable = "VERBCAST_TIMEOUT";

}  // namespace

StreamCommandLine::StreamCommandLine(CLI::App& app, const std::string& name, const std::string& description)
    : command_(app.add_subcommand(name, description)) {
    peer_.takeRails();
}

bool StreamCommandLine::parsed() const {
    return command_->parsed();
}

void StreamCommandLine::addMaxMemory() {
    command_
        ->add_option("--max-memory", maxMemory_,
                     "Refuse a stream whose --slots frames need more memory, for example 500M or "
                     "8G\n(default: half of the free memory)")
        ->type_name("SIZE");
}

void StreamCommandLine::addRest(StreamOptions& options) {
    CLI::App& command = *command_;
    command.add_option("--frames", frames_, "Stop after this many frames")->type_name("N");
    command.add_option("--seconds", seconds_, "Stop this long after the first frame")->type_name("S");
    command.add_option("--slots", options.slots, "Maximum number of frames held, 2 to 64")
        ->capture_default_str()
        ->type_name("N");
    command.add_flag("--poll", options.poll,
                     "Spin instead of sleeping: lower latency, but uses a core on each side");
    command.add_flag(
        "--once", options.once,
        "Exit when the stream ends or the peer leaves or is lost, instead of waiting for the next peer");
    addWait(command, wait_);
    timeout_ = fmt::format("{}", std::chrono::duration<double>(options.peerTimeout).count());
    addTimeout(command, timeout_)->envname(kTimeoutVariable);
    trust_.addTo(command);
    command.add_option("--stats-json", options.statsJson, "Write statistics here at the end (- for stdout)")
        ->type_name("FILE");
    command.add_option("--frame-md5", options.frameMd5, "Write sequence,pts,bytes,md5 of every frame")
        ->type_name("FILE");
    command
        .add_option("--rails", rails_,
                    "Send one stream over several networks: those of URL,URL or, with one URL, all that\n"
                    "lead from this host to that one.\n"
                    "double: every frame over each, the first copy counts (default with URL,URL);\n"
                    "stripe: each frame over one of them, for bandwidth")
        ->type_name("double|stripe");
    addNuma(command, numa_);
    verbosity_.addTo(command, "Say more");
}

StreamPeer StreamCommandLine::peerAt(const PeerAddress& address, bool listensElsewhere) const {
    const TrustChoice& choice = trust_.choice();
    return {address.url,
            address.listen,
            trustFor(listensElsewhere ? choice.of(address.listen) : choice, address.listen, address.url),
            address.spares,
            rails_ == "stripe" ? RailMode::Stripe : RailMode::Double,
            !rails_.empty() && !address.listen && address.spares.empty()};
}

std::vector<StreamPeer> StreamCommandLine::finish(StreamOptions& options, bool listensByDefault,
                                                  bool listensElsewhere, bool connectsElsewhere) const {
    const std::vector<PeerAddress> addresses = peer_.finishMany(listensByDefault);
    if (!frames_.empty()) {
        options.frames = parseCount("--frames", frames_);
    }
    if (!seconds_.empty()) {
        options.duration = parseDuration("--seconds", seconds_, kShortestStream);
    }
    if (!wait_.empty()) {
        options.patience = parseDuration("--wait", wait_, 0);
    }
    options.peerTimeout = parseTimeout(timeout_, kTimeoutVariable);
    if (!maxMemory_.empty()) {
        options.maxMemory = parseByteCount("--max-memory", maxMemory_, 1, std::uint64_t{1} << 50);
    }
    options.numaChoice = parseNuma(numa_);
    options.trustChoice = trust_.choice();
    checkRailsOption(connectsElsewhere || std::ranges::any_of(addresses, [](const PeerAddress& address) {
                         return !address.listen;
                     }));
    std::vector<StreamPeer> peers;
    peers.reserve(addresses.size());
    for (const PeerAddress& address : addresses) {
        peers.push_back(peerAt(address, listensElsewhere));
    }
    checkedSlots(options.slots, "--slots");
    options.verbosity = verbosity_.verbosity();
    return peers;
}

void StreamCommandLine::checkRailsOption(bool connects) const {
    if (!rails_.empty() && rails_ != "double" && rails_ != "stripe") {
        throw Error(ErrorKind::Usage, fmt::format("--rails {}: double or stripe expected", rails_));
    }
    if (!rails_.empty() && !connects) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--rails {}: rails are for the side that connects, and this side listens", rails_),
            "give --rails to the side that connects; the other needs no option");
    }
}

ReceiverOptions receiverOptions(const StreamOptions& options, const StreamPeer& peer) {
    ReceiverOptions receiver;
    receiver.url = peer.url;
    receiver.listen = peer.listen;
    receiver.spares = peer.spares;
    receiver.rails = peer.rails;
    receiver.findsRails = peer.findsRails;
    receiver.trust = peer.trust;
    receiver.slots = options.slots;
    receiver.maxMemory = options.maxMemory;
    receiver.poll = options.poll;
    receiver.peerTimeout = options.peerTimeout;
    receiver.reconnect = !options.once;
    return receiver;
}

}  // namespace verbcast
