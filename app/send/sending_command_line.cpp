#include "app/send/sending_command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>
#include <utility>

#include "app/cli/frame_lock_words.h"
#include "app/cli/option_values.h"
#include "core/base/error.h"
#include "core/transport/registry.h"

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

/// Parses "800M", "8G", "2.5G".
std::uint64_t parseBitRate(const std::string& text) {
    constexpr double kMinRate = 1e6, kMaxRate = 1e12;
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, code] = std::from_chars(text.data(), last, value);
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    const double factor = unit == "G" ? 1e9 : unit == "M" ? 1e6 : unit.empty() ? 1 : 0;
    if (code != std::errc() || !(value * factor >= kMinRate && value * factor <= kMaxRate)) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--multicast-rate {}: 1M to 1000G bits per second expected", text),
                    "for example --multicast-rate 2.5G");
    }
    return static_cast<std::uint64_t>(value * factor);
}

/// Whether viewers can have frames in a GPU's memory. Without a transport in the address they may come over
/// several; where tcp is the best of those between hosts, they cannot.
bool viewersReachDevices(const Url& url) {
    if (const Transport* transport = findTransport(url.scheme)) {
        return transport->reachesDevices;
    }
    return std::ranges::any_of(transports(), [](const Transport& each) {
        return each.automatic && each.reachesOtherHosts && each.reachesDevices &&
               each.availability().available;
    });
}

}  // namespace

void SendingCommandLine::addViewers(SendingOptions& options) {
    peer().add(command(), {"--to", "Connect to the viewer that listens there; URL,URL: over several rails"},
               {"--listen", "Wait here for viewers (default: every address, port 7423)"});
    command()
        .add_option("--max-viewers", options.maxViewers,
                    "Maximum number of viewers at a time, 1 to 1000; others are asked to wait")
        ->capture_default_str()
        ->check(CLI::Range(1U, 1000U))
        ->type_name("N");
    command().add_option("--sync", sync_, kSyncHelp)->type_name("hold|go");
    command()
        .add_option("--multicast", multicast_,
                    "Send frames to this group, once for all viewers that view multicast://GROUP:\n"
                    "239.10.0.7, 239.10.0.7:7423 or, on one interface, 239.10.0.7:7423%eth1.\n"
                    "Over RDMA to viewers that also have a device for it, else over UDP; ?via=udp or\n"
                    "?via=rdma at the end allows only that one (-v says which is used, and why).\n"
                    "Other viewers are served one by one, as usual")
        ->type_name("GROUP");
    command()
        .add_option("--ttl", ttl_, "Routers that frames may pass, plus one: 1 stays in this network")
        ->capture_default_str()
        ->check(CLI::Range(1, 255))
        ->type_name("N");
    command()
        .add_option("--multicast-rate", multicastRate_,
                    "Maximum rate of frames sent to the group in bits per second, for example 8G\n"
                    "(default: what most viewers' interfaces take)")
        ->type_name("RATE");
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
        .add_option(
            "--changes", changes_,
            "How to find which parts of a picture changed, so that only those are sent.\n"
            "auto: the source reports them, or else by comparing pictures as long as that pays off;\n"
            "source: only as the source reports; compare: compare each picture with the previous one;\n"
            "off: send whole frames")
        ->capture_default_str()
        ->type_name("auto|source|compare|off");
}

void SendingCommandLine::addMemory(const std::vector<std::string>& choices, const std::string& help) {
    memory_ = choices.front();
    command()
        .add_option("--memory", memory_, help)
        ->check(CLI::IsMember(choices))
        ->capture_default_str()
        ->type_name(fmt::format("{}", fmt::join(choices, "|")));
}

void SendingCommandLine::finishMemory(SendingOptions& options) const {
    options.memory = memory_ == "auto"     ? PictureMemory::Auto
                     : memory_ == "device" ? PictureMemory::Device
                     : memory_ == "dmabuf" ? PictureMemory::DmaBuf
                                           : PictureMemory::Host;
    const bool compares = options.changes == ChangesFrom::Compare;
    const bool inDmaBufs = options.memory == PictureMemory::DmaBuf;
    for (const auto& [option, contradicts, reason] :
         {std::tuple{"--preview", inDmaBufs && options.preview, "a preview reads main memory"},
          {"--changes compare", compares && (inDmaBufs || options.memory == PictureMemory::Device),
           "the processor compares pictures"}}) {
        if (contradicts) {
            throw Error(ErrorKind::Usage, fmt::format("{} with --memory {}: {}", option, memory_, reason),
                        "leave one of the two out");
        }
    }
}

void settleMemory(SendingOptions& options) {
    if (options.memory != PictureMemory::Auto) {
        return;
    }
    const bool compares = options.changes == ChangesFrom::Compare;
    for (const auto& [given, reason] : {std::pair{!options.frameMd5.empty(), "--frame-md5 reads them"},
                                        {compares, "the processor compares them"},
                                        {options.trust.encrypt, "the processor encrypts them"},
                                        {options.multicast.has_value(), "a group is sent them from there"},
                                        {!viewersReachDevices(options.url), "they are sent from there"}}) {
        if (given) {
            keepInHost(options, reason);
        }
    }
}

void keepInHost(SendingOptions& options, const std::string& reason) {
    if (options.memory == PictureMemory::Auto) {
        options.memory = PictureMemory::Host;
        options.whyHost = reason;
    }
}

void SendingCommandLine::finish(SendingOptions& options, bool listensElsewhere,
                                bool connectsElsewhere) const {
    static_cast<StreamPeer&>(options) =
        StreamCommandLine::finish(options, true, listensElsewhere, connectsElsewhere).front();
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
    finishMulticast(options);
    finishMemory(options);
    if (policy_ == "latest") {
        options.policy = Policy::Latest;
    } else if (policy_ == "lossless") {
        options.policy = Policy::Lossless;
    } else if (!policy_.empty()) {
        throw Error(ErrorKind::Usage, fmt::format("--policy {}: latest or lossless expected", policy_));
    }
}

void SendingCommandLine::finishMulticast(SendingOptions& options) const {
    if (multicast_.empty()) {
        for (const auto& [given, option] :
             {std::pair{ttl_ != 1, "--ttl"}, std::pair{!multicastRate_.empty(), "--multicast-rate"}}) {
            if (given) {
                throw Error(ErrorKind::Usage,
                            fmt::format("{} without --multicast: it is about a group", option),
                            "give --multicast GROUP, for example --multicast 239.10.0.7");
            }
        }
        return;
    }
    MulticastOptions multicast;
    multicast.address = multicast::parseGroup(multicast_);
    multicast.ttl = ttl_;
    if (!multicastRate_.empty()) {
        multicast.bitRate = parseBitRate(multicastRate_);
    }
    if (!options.listen) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--multicast {} with --to: viewers of a group connect to the sender", multicast_),
            "leave out --to: viewers find the sender by the group");
    }
    options.multicast = multicast;
}

SenderOptions senderOptions(const SendingOptions& options, Policy policy) {
    SenderOptions sender;
    sender.url = options.url;
    sender.listen = options.listen;
    sender.spares = options.spares;
    sender.rails = options.rails;
    sender.findsRails = options.findsRails;
    sender.policy = policy;
    sender.slots = options.slots;
    sender.maxReceivers = options.maxViewers;
    sender.poll = options.poll;
    sender.trust = options.trust;
    sender.allowInput = options.allowInput;
    sender.peerTimeout = options.peerTimeout;
    sender.reconnect = !options.once;
    sender.preview = options.preview;
    sender.multicast = options.multicast;
    sender.name = options.name;
    sender.sync = options.sync;
    return sender;
}

}  // namespace verbcast
