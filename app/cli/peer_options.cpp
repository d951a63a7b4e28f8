#include "app/cli/peer_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <utility>

#include "app/cli/options/values.h"
#include "core/base/error.h"
#include "core/multirail/rail_search.h"
#include "core/transport/multicast/group_address.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

/// The option as given: "--listen :7000".
std::string shown(const BoundOption& bound, const std::string& value) {
    return bound.option.name() + (value.empty() ? "" : " " + value);
}

}  // namespace

SessionAddress parsePeer(const std::string& text) {
    const auto addressFrom = [&text](const std::string&, const std::string& one) {
        if (one.empty() && !text.empty()) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{}: an address expected on both sides of a comma", text),
                        "for example tcp://10.0.1.2:7423,tcp://10.0.2.2:7423");
        }
        return parseUrl(one);
    };
    SessionAddress peer;
    std::vector<Url> rails = listValue(Value<Url>{addressFrom, {}}).parse({}, text);
    if (rails.size() > 1) {
        checkRails(rails, false);
    } else if (rails.front().isMulticast()) {
        static_cast<void>(multicast::groupOf(rails.front()));
    }
    peer.url = std::move(rails.front());
    peer.spares.assign(std::next(rails.begin()), rails.end());
    return peer;
}

std::string addressText(const SessionAddress& peer) {
    std::string text;
    for (const Url& url : peer.urls()) {
        text += (text.empty() ? "" : ",") + url.text();
    }
    return text;
}

void checkHostExists(const SessionAddress& peer) {
    constexpr std::chrono::seconds kNamePatience{5};
    if (!peer.listen && !peer.url.isName()) {
        static_cast<void>(resolve(peer.url, false, Deadline::in(kNamePatience)));
    }
}

void PeerOptions::add(OptionList& options, const Names& connect, const Names& listen, bool many) {
    many_ = many;
    connect_ = &options.add(option(section::kPeers, connect.names, "URL", connect.help), peers_,
                            many ? BoundOption::Takes::Several : BoundOption::Takes::Repeated);
    listen_ = &options.add(option(section::kPeers, listen.names, "[ADDRESS]", listen.help), listenAt_);
}

std::vector<SessionAddress> PeerOptions::finishMany(bool listensByDefault) const {
    const bool listens = listen_->given;
    if (listens && !peers_.empty()) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} and {} contradict each other",
                                shown(*connect_, fmt::format("{}", fmt::join(peers_, " "))),
                                shown(*listen_, listenAt_)),
                    fmt::format("leave out one of them: {} connects to the peer, {} waits here for it",
                                connect_->option.name(), listen_->option.name()));
    }
    if (!many_ && peers_.size() > 1) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("{} {} and {} contradict each other", connect_->option.name(), peers_[0], peers_[1]),
            "leave out one of them");
    }
    if (listens || (peers_.empty() && listensByDefault)) {
        return {{.url = listenAt_.empty() ? Url{} : parseUrl(listenAt_), .listen = true}};
    }
    std::vector<SessionAddress> addresses;
    for (const std::string& peer : peers_) {
        addresses.push_back(parsePeer(peer));
        if (!addresses.back().spares.empty() && !takesRails_) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{} {}: one address expected: rails are for streams of video",
                                    connect_->option.name(), peer));
        }
    }
    if (addresses.empty()) {
        addresses.emplace_back();
    }
    for (SessionAddress& address : addresses) {
        if (address.url.host.empty()) {
            address.url.host = "localhost";
        }
        for (Url& spare : address.spares) {
            spare.host = spare.host.empty() ? "localhost" : spare.host;
        }
    }
    return addresses;
}

}  // namespace verbcast
