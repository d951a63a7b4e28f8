#include "app/cli/peer_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "app/cli/option_values.h"
#include "core/base/error.h"
#include "core/multirail/rail_urls.h"

namespace verbcast {
namespace {

/// Returns "--to", for example.
std::string nameOf(const CLI::Option& option) {
    return "--" + option.get_lnames().front();
}

/// The option as given: "--listen :7000".
std::string shown(const CLI::Option& option, const std::string& value) {
    return nameOf(option) + (value.empty() ? "" : " " + value);
}

}  // namespace

PeerAddress parsePeer(const std::string& text) {
    PeerAddress peer;
    std::vector<Url> rails;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const std::string one = text.substr(from, comma - from);
        if (one.empty() && !text.empty()) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{}: an address expected on both sides of a comma", text),
                        "for example tcp://10.0.1.2:7423,tcp://10.0.2.2:7423");
        }
        rails.push_back(parseUrl(one));
        from = comma + 1;
    }
    if (rails.size() > 1) {
        checkRails(rails, false);
    }
    peer.url = std::move(rails.front());
    peer.spares.assign(std::next(rails.begin()), rails.end());
    return peer;
}

void PeerOptions::add(CLI::App& command, const Option& connect, const Option& listen) {
    addMany(command, connect, listen);
    many_ = false;
    connect_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void PeerOptions::addMany(CLI::App& command, const Option& connect, const Option& listen) {
    many_ = true;
    connect_ = command.add_option(connect.name, peers_, connect.help)->type_name("URL");
    listen_ = command.add_option(listen.name, listenAt_, listen.help)->type_name("[ADDRESS]")->expected(0, 1);
}

bool PeerOptions::given() const {
    return connect_->count() > 0 || listen_->count() > 0;
}

std::vector<PeerAddress> PeerOptions::finishMany(bool listensByDefault) const {
    const bool listens = listen_->count() > 0;
    if (listens && !peers_.empty()) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} and {} contradict each other",
                                shown(*connect_, fmt::format("{}", fmt::join(peers_, " "))),
                                shown(*listen_, listenAt_)),
                    fmt::format("leave out one of them: {} connects to the peer, {} waits here for it",
                                nameOf(*connect_), nameOf(*listen_)));
    }
    if (!many_ && peers_.size() > 1) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("{} {} and {} contradict each other", nameOf(*connect_), peers_[0], peers_[1]),
            "leave out one of them");
    }
    if (listens || (peers_.empty() && listensByDefault)) {
        return {{.url = listenAt_.empty() ? Url{} : parseUrl(listenAt_), .listen = true}};
    }
    std::vector<PeerAddress> addresses;
    for (const std::string& peer : peers_) {
        addresses.push_back(parsePeer(peer));
        if (!addresses.back().spares.empty() && !takesRails_) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{} {}: one address expected: rails are for streams of video",
                                    nameOf(*connect_), peer));
        }
    }
    if (addresses.empty()) {
        addresses.emplace_back();
    }
    for (PeerAddress& address : addresses) {
        if (address.url.host.empty()) {
            address.url.host = "localhost";
        }
        for (Url& spare : address.spares) {
            spare.host = spare.host.empty() ? "localhost" : spare.host;
        }
    }
    return addresses;
}

void addWait(CLI::App& command, std::string& wait) {
    command
        .add_option("--wait", wait,
                    "Give up with exit code 4 if no peer connects within S seconds (default: wait forever)")
        ->type_name("S");
}

CLI::Option* addTimeout(CLI::App& command, std::string& timeout) {
    return command.add_option("--timeout", timeout, "Treat the other end as lost after this long a silence")
        ->capture_default_str()
        ->type_name("S");
}

std::chrono::milliseconds parseTimeout(const std::string& timeout, const char* variable) {
    // Below that, two late heartbeats are a loss.
    constexpr double kShortest = 0.5;
    const char* const outside = variable != nullptr ? std::getenv(variable) : nullptr;
    const char* const name = outside != nullptr && outside == timeout ? variable : "--timeout";
    return std::chrono::duration_cast<std::chrono::milliseconds>(parseDuration(name, timeout, kShortest));
}

}  // namespace verbcast
