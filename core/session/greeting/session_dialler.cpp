#include "core/session/greeting/session_dialler.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/log/peer_log.h"
#include "core/session/greeting/connect_best.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// A peer on this host answers at once, so the first retries are quick; later ones back off.
constexpr std::chrono::nanoseconds kFirstPause = 25ms;
constexpr std::chrono::nanoseconds kMaxPause = 500ms;
constexpr std::chrono::nanoseconds kConnectTimeout = 3s;
constexpr std::chrono::seconds kMinTry{1};
// A connection that lasted this long counts as a success: the backoff starts over.
constexpr TimestampNs kWorthAnother = 2'000'000'000;

}  // namespace

std::string remedyForPairing(const Url& url) {
    Url listener = url;
    listener.options.clear();  // '&' would end the command
    return fmt::format("{} {}", remedyFor(RefuseCode::NotPaired), listener.text());
}

SessionDialler::SessionDialler(const Url& url, const TransportOptions& transport,
                               const HandshakeOptions& handshake)
    : url_(url), transport_(transport), handshake_(handshake) {}

void SessionDialler::run(DiallerPolicy& policy, const Event& cancel, Deadline deadline) {
    for (bool again = true; again && !cancel.isSet();) {
        std::variant<PeerConnection, SessionEnd> met;
        try {
            met = meet(cancel, deadline);
        } catch (const std::exception& failure) {
            again = policy.failed(failure);
            continue;
        }
        if (auto* peer = std::get_if<PeerConnection>(&met)) {
            again = policy.serve(std::move(*peer));
        } else if (!cancel.isSet()) {
            again = policy.refused(std::get<SessionEnd>(met));
        }
    }
}

/// Backs off before every attempt but the first.
void SessionDialler::pause(const Event& cancel, Deadline deadline) {
    const TimestampNs now = nowNs();
    if (triedAt_ == 0 || now - triedAt_ > kWorthAnother) {
        pause_ = 0ns;
        return;
    }
    pause_ = std::clamp(pause_ * 3 / 2, kFirstPause, kMaxPause);
    std::uniform_real_distribution<double> spread(0.75, 1.25);
    const auto due = Deadline::in(std::chrono::nanoseconds(
        static_cast<std::int64_t>(static_cast<double>(pause_.count()) * spread(random_))));
    while (!cancel.isSet() && !due.passed() && !deadline.passed()) {
        waitReadable({cancel.descriptor()}, earlier(due, deadline));
    }
}

std::variant<PeerConnection, SessionEnd> SessionDialler::meet(const Event& cancel, Deadline deadline) {
    const Deadline crowdGone = Deadline::in(kGreetingPatience + kMinTry);
    bool crowded = false;
    for (;;) {
        // If the listener is crowded, pause even past the deadline: retry no faster than others do.
        pause(cancel, crowded ? crowdGone : deadline);
        if (cancel.isSet()) {
            return SessionEnd{SessionEnd::Kind::Stopped, "cancelled"};
        }
        const TimestampNs startedAt = triedAt_ = nowNs();
        try {
            // Even a deadline in the past allows one try, with enough time for a handshake.
            const Deadline end = Deadline::in(std::max<std::chrono::nanoseconds>(
                std::min<std::chrono::nanoseconds>(deadline.left(), kConnectTimeout), kMinTry));
            Reached reached = connectBest(url_, transport_, end, cancel, handshake_.trust.key);
            if (!reached.connection) {
                continue;  // cancelled
            }
            hadDevice_ = true;
            auto outcome = greet(std::move(reached.connection), handshake_, cancel);
            triedAt_ = nowNs();
            if (const auto* ended = std::get_if<SessionEnd>(&outcome);
                ended != nullptr && ended->isCrowded() && !crowdGone.passed()) {
                crowded = true;
                continue;
            }
            if (auto* ended = std::get_if<SessionEnd>(&outcome); ended != nullptr && ended->needsPairing()) {
                ended->remedy = remedyForPairing(url_);
            } else if (auto* peer = std::get_if<PeerConnection>(&outcome)) {
                met_ = true;
                handshake_.hasProvenKey = handshake_.trust.key.has_value();
                peer->reason = std::move(reached.reason);
                peer->startedAt = startedAt;
            }
            return outcome;
        } catch (const Error& error) {
            const bool mayCome = error.kind() == ErrorKind::Network || error.kind() == ErrorKind::Peer ||
                                 (error.kind() == ErrorKind::Device && hadDevice_);
            if (!mayCome || deadline.passed()) {
                throw;
            }
            hadDevice_ = true;
            if (error.what() != lastFailure_) {
                lastFailure_ = error.what();
                // Warn until the first success: the user needs to know why nobody answers.
                tryLogPeer(LogCategory::Session, met_ ? spdlog::level::info : spdlog::level::warn,
                           "not connected", "", "{}; trying again", lastFailure_);
            }
        }
    }
}

}  // namespace verbcast
