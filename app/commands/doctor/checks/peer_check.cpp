// Checks whether the peer is there and is a Verbcast: connects as a session would, receives the greeting, and
// leaves before a session starts.
#include <fmt/format.h>

#include "app/commands/doctor/checks/checks.h"
#include "core/base/os/clock.h"
#include "core/base/version.h"
#include "core/multirail/rail_search.h"
#include "core/session/greeting/connect_best.h"
#include "core/session/greeting/session_dialler.h"

namespace verbcast {
namespace {

constexpr std::chrono::milliseconds kConnectPatience{2000};

Check judgeEnd(const SessionEnd& end, const Url& url, const std::string& reached) {
    if (end.kind != SessionEnd::Kind::Refused) {
        throw Error(ErrorKind::Peer, fmt::format("something listens on {}, but {}", url.text(), end.reason),
                    "check the port: verbcast send and view print the one they listen on");
    }
    if (end.isPermanent()) {
        const std::string remedy = end.needsPairing() ? remedyForPairing(url)
                                   : end.remedy.empty()
                                       ? fmt::format("install verbcast {} on both machines", kVersion)
                                       : end.remedy;
        return {"peer", CheckState::Failed, fmt::format("{}; {}", reached, end.reason), remedy};
    }
    return {"peer", CheckState::Warning, fmt::format("{}; {}", reached, end.reason),
            "end one of its other connections, or start another verbcast there on another --listen port"};
}

/// Greets as a probe for the greeting only: no session starts, and neither side counts a lost viewer or
/// sender.
Check judgeGreeting(Connection connection, const Url& url, const std::string& reached, const Trust& trust,
                    Hello& greeting) {
    HandshakeOptions options;
    options.trust = trust;
    options = railProbe(options);
    const auto outcome = greet(std::move(connection), options, Event());
    if (const auto* end = std::get_if<SessionEnd>(&outcome)) {
        return judgeEnd(*end, url, reached);
    }
    const PeerConnection& peer = std::get<PeerConnection>(outcome);
    greeting = peer.hello;
    peer.connection.messages->close();
    return {"peer", CheckState::Ok,
            fmt::format("{}; a {} \"{}\", {} ({})", reached, roleName(peer.hello.role), peer.hello.name.value,
                        peer.hello.software.value, shortName(peer.trust.protection))};
}

}  // namespace

PeerFinding checkPeer(const Url& url, const Trust& trust) {
    PeerFinding finding;
    try {
        const TimestampNs start = nowNs();
        Reached peer = connectBest(url, {}, Deadline::in(kConnectPatience), Event(), trust.key);
        const double milliseconds = static_cast<double>(nowNs() - start) * 1e-6;
        const ConnectionDescription description = peer.connection.messages->description();
        const std::string reached = fmt::format("{} answered over {} after {:.1f} ms ({}{}{})", url.text(),
                                                description.transport, milliseconds, peer.reason,
                                                description.detail.empty() ? "" : "; ", description.detail);
        finding.checks.push_back(
            judgeGreeting(std::move(peer.connection), url, reached, trust, finding.greeting));
        if (finding.checks.front().state != CheckState::Failed) {
            finding.transport = description.transport;
            finding.local = description.local;
            finding.peer = description.peer;
        }
    } catch (const Error& error) {
        finding.checks.push_back({"peer", CheckState::Failed, error.what(),
                                  error.remedy().empty()
                                      ? "check the address, and that verbcast runs there: "
                                        "verbcast send SOURCE, or verbcast view --listen :PORT"
                                      : error.remedy()});
    }
    return finding;
}

}  // namespace verbcast
