#include "app/cli/stream_command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/cli/numa_choice.h"
#include "app/cli/trust/trust_choice.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

const std::vector<std::pair<std::string, RailMode>> kRailModes{{"double", RailMode::Double},
                                                               {"stripe", RailMode::Stripe}};

}  // namespace

StreamCommandLine::StreamCommandLine(Command& parent, const std::string& name, const std::string& description)
    : command_(parent.add(name, description)) {
    command_.remarks.addresses = true;
    command_.remarks.frames = true;
    peer_.takeRails();
}

void StreamCommandLine::addMaxMemory(std::optional<std::uint64_t>& bytes) {
    list().add(
        seldomOption(
            section::kMachine, "--max-memory", "SIZE",
            "Refuse a stream whose --slots frames need more memory, for example 500M or 8G (default: half "
            "of the free memory)"),
        bytes, bytesValue(1, std::uint64_t{1} << 50));
}

void StreamCommandLine::addRest(StreamOptions& options) {
    list().add(
        seldomFlag(section::kEnd, "--once",
                   "Exit when the stream ends or the peer leaves or is lost, instead of waiting for the next "
                   "peer"),
        once_);
    list().add(
        seldomOption(
            section::kPeers, "--rails", "double|stripe",
            "Send one stream over several networks: those of URL,URL or, with one URL, all that lead "
            "from this host to that one. double: every frame over each, the first copy counts (default "
            "with URL,URL); stripe: each frame over one of them, for bandwidth"),
        rails_, choiceValue(kRailModes));
    addStatsJson(list(), options.statsJson);
    trust_ = &options.trustChoice;
    addTrust(list(), options.trustChoice);
    addNuma(list(), options.numaChoice);
}

StreamPeer StreamCommandLine::peerAt(const SessionAddress& address, bool listensElsewhere) const {
    StreamPeer peer;
    static_cast<SessionAddress&>(peer) = address;
    peer.rails = rails_.value_or(RailMode::Double);
    peer.findsRails = rails_ && !address.listen && address.spares.empty();
    peer.trust =
        trustFor(listensElsewhere ? trust().of(address.listen) : trust(), address.listen, address.url);
    peer.reconnect = !once_;
    return peer;
}

std::vector<StreamPeer> StreamCommandLine::finish(bool listensByDefault, bool listensElsewhere,
                                                  bool connectsElsewhere) const {
    const std::vector<SessionAddress> addresses = peer_.finishMany(listensByDefault);
    const bool connects =
        connectsElsewhere ||
        std::ranges::any_of(addresses, [](const SessionAddress& address) { return !address.listen; });
    if (rails_ && !connects) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--rails {}: rails are for the side that connects, and this side listens",
                                nameOf(*rails_)),
                    "give --rails to the side that connects; the other needs no option");
    }
    std::vector<StreamPeer> peers;
    peers.reserve(addresses.size());
    for (const SessionAddress& address : addresses) {
        peers.push_back(peerAt(address, listensElsewhere));
    }
    return peers;
}

}  // namespace verbcast
