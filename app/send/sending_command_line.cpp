#include "app/send/sending_command_line.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "app/cli/option_values.h"
#include "app/cli/together_words.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

ChangesFrom parseChanges(const std::string& text) {
    constexpr std::array kNames{
        std::pair{"auto", ChangesFrom::Auto}, std::pair{"source", ChangesFrom::Source},
        std::pair{"compare", ChangesFrom::Compare}, std::pair{"off", ChangesFrom::Off}};
    for (const auto& [name, value] : kNames) {
        if (text == name) {
            return value;
        }
    }
    throw Error(ErrorKind::Usage, fmt::format("--changes {}: auto, source, compare or off expected", text));
}

}  // namespace

void SendingCommandLine::addViewers(SendingOptions& options) {
    peer().add(command(), {"--to", "Connect to the viewer that listens there"},
               {"--listen", "Wait here for viewers (default: every address, port 7423)"});
    command()
        .add_option("--max-viewers", options.maxViewers,
                    "Maximum number of viewers at a time, 1 to 1000; others are asked to wait")
        ->capture_default_str()
        ->check(CLI::Range(1U, 1000U))
        ->type_name("N");
    command().add_option("--sync", sync_, kSyncHelp)->type_name("hold|go");
}

void SendingCommandLine::addFps(const std::string& help, const std::string& values,
                                const std::string& defaultValue) {
    fps_ = defaultValue;
    command().add_option("--fps", fps_, help)->capture_default_str()->type_name(values);
}

void SendingCommandLine::addPolicy(const std::string& help) {
    command().add_option("--policy", policy_, help)->type_name("latest|lossless");
}

void SendingCommandLine::addChanges() {
    command()
        .add_option("--changes", changes_,
                    "Who tells which parts of a picture changed, so that only they travel.\n"
                    "auto: the source, or if it tells nothing, comparing pictures as long as that pays;\n"
                    "source; compare: every picture with the one before; off: frames travel whole")
        ->capture_default_str()
        ->type_name("auto|source|compare|off");
}

void SendingCommandLine::finish(SendingOptions& options, bool listensElsewhere) const {
    static_cast<StreamPeer&>(options) = StreamCommandLine::finish(options, true, listensElsewhere).front();
    options.preview = watch_.preview();
    options.statsDescriptor = watch_.statsDescriptor();
    if (fps_ == "max") {
        options.pacing = Pacing::Max;
    } else if (fps_ != "source") {
        options.pacing = Pacing::Rate;
        options.rate = parseRate(fps_);
    }
    options.changes = parseChanges(changes_);
    options.sync = sync_.empty() ? SyncMode::Off : parseSync(sync_);
    if (policy_ == "latest") {
        options.policy = Policy::Latest;
    } else if (policy_ == "lossless") {
        options.policy = Policy::Lossless;
    } else if (!policy_.empty()) {
        throw Error(ErrorKind::Usage, fmt::format("--policy {}: latest or lossless expected", policy_));
    }
}

SenderOptions senderOptions(const SendingOptions& options, Policy policy) {
    SenderOptions sender;
    sender.url = options.url;
    sender.listen = options.listen;
    sender.policy = policy;
    sender.slots = options.slots;
    sender.maxReceivers = options.maxViewers;
    sender.poll = options.poll;
    sender.trust = options.trust;
    sender.allowInput = options.allowInput;
    sender.reconnect = !options.once;
    sender.preview = options.preview;
    sender.name = options.name;
    sender.sync = options.sync;
    return sender;
}

}  // namespace verbcast
