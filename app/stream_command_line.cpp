#include "app/stream_command_line.h"

#include <fmt/format.h>

#include "app/option_values.h"
#include "core/base/error.h"
#include "core/session/slot_count.h"

namespace verbcast {

StreamCommandLine::StreamCommandLine(CLI::App& app, const std::string& name, const std::string& description)
    : command_(app.add_subcommand(name, description)) {}

void StreamCommandLine::addPeer(const std::string& name, const std::string& help) {
    CLI::Option* option = command_->add_option(name, peer_, help);
    if (name.starts_with("--")) {
        option->type_name("URL");
    }
}

void StreamCommandLine::addListen(const std::string& help) {
    command_->add_option("--listen", listen_, help)->type_name("URL")->expected(0, 1);
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
    command.add_flag("--once", options.once,
                     "Exit when the stream ends or the peer is lost, instead of waiting for the next");
    trust_.addTo(command);
    command.add_option("--stats-json", options.statsJson, "Write statistics here at the end (- for stdout)")
        ->type_name("FILE");
    command.add_option("--frame-md5", options.frameMd5, "Write sequence,pts,bytes,md5 of every frame")
        ->type_name("FILE");
    command.add_flag("-v,--verbose", verbose_, "Say more");
    command.add_flag("-q,--quiet", quiet_, "Print errors only");
}

void StreamCommandLine::finish(StreamOptions& options, bool listenByDefault) const {
    const bool listenGiven = command_->count("--listen") > 0;
    options.listen = listenGiven || (peer_.empty() && listenByDefault);
    options.url = meetingPlace(peer_, listenGiven, listen_, options.listen);
    if (!frames_.empty()) {
        options.frames = parseCount("--frames", frames_);
    }
    if (!seconds_.empty()) {
        options.duration = parseSeconds(seconds_);
    }
    if (!maxMemory_.empty()) {
        options.maxMemory = parseByteCount("--max-memory", maxMemory_, 1, std::uint64_t{1} << 50);
    }
    options.trustChoice = trust_.choice();
    options.trust = trust_.trust(options.listen, options.url);
    checkedSlots(options.slots, "--slots");
    if (quiet_ && verbose_) {
        throw Error(ErrorKind::Usage, "-q and -v cannot be combined");
    }
    options.verbosity = quiet_ ? Verbosity::Quiet : verbose_ ? Verbosity::Verbose : Verbosity::Normal;
}

void SendingCommandLine::addViewers(SendingOptions& options) {
    addPeer("--to", "Connect to the viewer that listens there");
    addListen("Wait there for viewers (default: every address, port 7423)");
    addMaxViewers(command(), options.maxViewers);
}

void addMaxViewers(CLI::App& command, std::uint32_t& viewers) {
    command
        .add_option("--max-viewers", viewers,
                    "Maximum number of viewers at a time, 1 to 1000; others are asked to wait")
        ->capture_default_str()
        ->check(CLI::Range(1U, 1000U))
        ->type_name("N");
}

void SendingCommandLine::addFps(const std::string& help, const std::string& values,
                                const std::string& defaultValue) {
    fps_ = defaultValue;
    command().add_option("--fps", fps_, help)->capture_default_str()->type_name(values);
}

void SendingCommandLine::addPolicy(const std::string& help) {
    command().add_option("--policy", policy_, help)->type_name("latest|lossless");
}

void SendingCommandLine::finish(SendingOptions& options) const {
    StreamCommandLine::finish(options, true);
    options.preview = watch_.preview();
    options.statsDescriptor = watch_.statsDescriptor();
    if (fps_ == "max") {
        options.pacing = Pacing::Max;
    } else if (fps_ != "source") {
        options.pacing = Pacing::Rate;
        options.rate = parseRate(fps_);
    }
    if (policy_ == "latest") {
        options.policy = Policy::Latest;
    } else if (policy_ == "lossless") {
        options.policy = Policy::Lossless;
    } else if (!policy_.empty()) {
        throw Error(ErrorKind::Usage, fmt::format("--policy {}: latest or lossless expected", policy_));
    }
}

}  // namespace verbcast
