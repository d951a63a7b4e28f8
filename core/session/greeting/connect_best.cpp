#include "core/session/greeting/connect_best.h"

#include <fmt/format.h>

#include <chrono>
#include <set>

#include "core/session/trust/beacon_proof.h"
#include "core/transport/multicast/group_socket.h"

namespace verbcast {
namespace {

// With several to try, transports or senders of a group, none may use up the time of the others.
constexpr std::chrono::seconds kPatienceForOne{1};
// Of the senders that a group's beacons announce: anybody can make some up.
constexpr std::size_t kMaxTried = 64;

Reached connectAutomatic(const Url& url, const TransportOptions& options, Deadline deadline,
                         const Event& cancel) {
    std::string notes;  // why the better transports were not used
    const auto with = [&notes](const std::string& text) {
        return notes + (notes.empty() ? "" : "; ") + text;
    };
    const auto soon = [deadline] { return earlier(deadline, Deadline::in(kPatienceForOne)); };
    for (const Transport& transport : transports()) {
        if (!transport.automatic) {
            continue;
        }
        const auto choice = transport.choose(url, soon(), cancel);
        if (!choice.worthTrying) {
            notes = with(fmt::format("no {}: {}", transport.label, choice.reason));
            continue;
        }
        const Url address = addressFor(transport, url);
        if (transport.fallback) {
            return {transport.connect(address, options, deadline, cancel), notes};
        }
        try {
            return {transport.connect(address, options, soon(), cancel), with(choice.reason)};
        } catch (const Error& error) {
            notes = with(fmt::format("no {}: {}", transport.label, error.what()));
        }
    }
    throw Error(ErrorKind::Internal, "no transport is the fallback");
}

Url sessionOf(const multicast::FoundSender& sender) {
    Url session;
    session.scheme = fallbackTransport().scheme;
    session.host = multicast::hostText(sender.from.sin_addr);
    session.port = sender.beacon.port;
    return session;
}

/// Why none of the beacons led to a session; `unproven`: the last one that should have had a proof.
Error noSenderOf(const multicast::GroupAddress& group, const std::string& interface,
                 const std::optional<Url>& unproven) {
    if (unproven) {
        return Error(ErrorKind::Network,
                     fmt::format("{} announces the group {} on {}, but does not prove that it has this "
                                 "viewer's key",
                                 unproven->text(), group.text(), interface),
                     "give the sender the same key (--key-file), or view without one");
    }
    return Error(ErrorKind::Network,
                 fmt::format("no sender announces the group {} on {}", group.text(), interface),
                 fmt::format("start the sender with --multicast {}; if it runs, see that switches pass "
                             "multicast and that this is the interface",
                             group.text()));
}

/// Connects to the first sender that answers of those that the group's beacons announce. Anybody can send a
/// beacon: with a key, those without a proof count for nothing.
Reached connectByGroup(const Url& url, const TransportOptions& options, Deadline deadline,
                       const Event& cancel, const std::optional<NamedKey>& key) {
    const multicast::GroupAddress group = multicast::groupOf(url);
    const multicast::GroupInterface interface = multicast::interfaceOf(group);
    const UniqueFd ear = multicast::joinForBeacons(group, interface);
    const Deadline end = earlier(deadline, Deadline::in(kPatienceForOne));
    std::set<std::string> tried;
    std::optional<Error> failure;
    std::optional<Url> unproven;
    while (!end.passed() && !cancel.isSet()) {
        const auto sender = multicast::hearBeacon(ear.get(), 0, end, &cancel);
        if (!sender) {
            break;
        }
        const Url session = sessionOf(*sender);
        if (key && !isProvenBeacon(sender->datagram, key->key, group, sender->from.sin_addr)) {
            unproven = session;
            continue;
        }
        if (tried.size() == kMaxTried || !tried.insert(session.text()).second) {
            continue;
        }
        try {
            return {transportFor(session).connect(session, options,
                                                  earlier(deadline, Deadline::in(kPatienceForOne)), cancel),
                    fmt::format("the group {} is sent by {}", group.text(), session.text())};
        } catch (const Error& error) {
            failure = error;  // another beacon may lead there
        }
    }
    throw failure ? *failure : noSenderOf(group, interface.name, unproven);
}

}  // namespace

Reached connectBest(const Url& url, const TransportOptions& options, Deadline deadline, const Event& cancel,
                    const std::optional<NamedKey>& key) {
    if (url.scheme.empty()) {
        return connectAutomatic(url, options, deadline, cancel);
    }
    if (url.isMulticast()) {
        return connectByGroup(url, options, deadline, cancel, key);
    }
    return {transportFor(url).connect(url, options, deadline, cancel), "as asked for"};
}

}  // namespace verbcast
