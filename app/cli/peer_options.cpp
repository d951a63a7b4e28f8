#include "app/cli/peer_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace verbcast {
namespace {

/// "--to"
std::string nameOf(const CLI::Option& option) {
    return "--" + option.get_lnames().front();
}

/// "--listen :7000", as it was given.
std::string shown(const CLI::Option& option, const std::string& value) {
    return nameOf(option) + (value.empty() ? "" : " " + value);
}

}  // namespace

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
        addresses.push_back({.url = parseUrl(peer)});
    }
    if (addresses.empty()) {
        addresses.emplace_back();
    }
    for (PeerAddress& address : addresses) {
        if (address.url.host.empty()) {
            address.url.host = "localhost";
        }
    }
    return addresses;
}

void addWait(CLI::App& command, std::string& wait) {
    command
        .add_option("--wait", wait,
                    "Give up with exit code 4 if no peer has come after this time (default: wait forever)")
        ->type_name("S");
}

}  // namespace verbcast
