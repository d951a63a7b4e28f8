#include "core/session/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/log/log.h"
#include "core/base/log/peer_log.h"

namespace verbcast {
namespace {

// Bounded, so that a flood from the peer cannot delay our own frames or the end.
constexpr int kRoundsAtOnce = 64;
constexpr int kRoundsUntimed = 2;
constexpr TimestampNs kLongestDrain = 1'000'000;

}  // namespace

Link::Link(PeerConnection peer, const LinkOptions& options)
    : ServiceLoop(options.poll),
      connection_(std::move(peer.connection)),
      peer_(std::move(peer.hello)),
      trust_(std::move(peer.trust)),
      early_(std::move(peer.early)),
      ring_(connection_.messages->sharedRing()),
      liveness_(options.peerTimeout, peer_.host, nowNs(), ring_ != nullptr) {
    connection_.setHandlers(this, this);
}

SessionEnd Link::run() {
    std::optional<RefuseCode> refused;
    try {
        for (const auto& feature : features_) {
            feature->onReady();
        }
        onReady();
        for (const auto& message : std::exchange(early_, {})) {
            onMessage(message);
        }
        serveUntilOver();
    } catch (const Error& error) {
        const bool changed = connection_.frames && connection_.frames->cipherWork().refused > 0;
        const bool proven = !trust_.keyName.empty();
        if (changed || (proven && error.kind() == ErrorKind::Peer)) {
            // A proven peer's messages are protected, but what carries them is not: an attacker in between
            // can break the protocol in the peer's name. Treat it as a cut connection.
            end_ = SessionEnd{SessionEnd::Kind::Lost, error.what()};
        } else if (error.kind() == ErrorKind::Peer) {
            refused = RefuseCode::Protocol;
            end_ = SessionEnd{SessionEnd::Kind::Broken, error.what()};
        } else {
            // The failure is ours, but tell the peer why we leave: memory, or a device.
            const bool tells = error.kind() == ErrorKind::Resource || error.kind() == ErrorKind::Device;
            part(tells ? std::optional(RefuseCode::Resources) : std::nullopt, error.what());
            throw;
        }
    } catch (...) {
        part(std::nullopt, {});
        throw;
    }
    SessionEnd end = *end_;
    part(refused, end.reason);
    return end;
}

void Link::conclude() noexcept {
    for (const auto& feature : features_) {
        feature->onEnd();
    }
}

/// Tells the peer why, if there is a code, and closes. Whatever fails meanwhile changes nothing.
void Link::part(std::optional<RefuseCode> code, const std::string& reason) {
    const auto inAnyCase = [](auto&& step) {
        try {
            step();
        } catch (const Error& error) {
            log(LogCategory::Session).debug("while parting: {}", error.what());
        }
    };
    if (code) {
        inAnyCase([&] { refuse(*code, reason); });
    }
    inAnyCase([&] { messages().close(); });
}

FramePath& Link::requirePath() const {
    if (!connection_.frames) {
        throw peerError("the connection carries messages only, but frames are needed");
    }
    return *connection_.frames;
}

bool Link::processOnce(bool ownerAwake) {
    const Progress said = ownerAwake || ring_ == nullptr ? messages().process() : ring_->processWhileAsleep();
    if (said == Progress::Closed) {
        end(SessionEnd::Kind::Lost, messages().closeReason());
        return true;
    }
    const Progress moved = end_ || !connection_.frames ? Progress::Idle : path().poll();
    return said == Progress::Worked || moved == Progress::Worked;
}

bool Link::step() {
    bool worked = false;
    for (const auto& feature : features_) {
        worked |= feature->step();
    }
    return moveOn() || worked;
}

bool Link::drain(bool ownerAwake) {
    bool worked = false;
    TimestampNs began = 0;
    for (int round = 0; round < kRoundsAtOnce && !end_ && processOnce(ownerAwake); ++round) {
        worked = true;
        if (round == kRoundsUntimed) {
            began = nowNs();
        } else if (round > kRoundsUntimed && nowNs() - began > kLongestDrain) {
            break;  // a round may have waited for a piece of a frame
        }
    }
    return worked;
}

bool Link::readyToSleep() {
    if (ring_ != nullptr && maySleep() && std::ranges::all_of(features_, &LinkFeature::maySleep)) {
        return ring_->readyToSleepUntilEnd();
    }
    return messages().readyToSleep() && (!connection_.frames || path().readyToSleep());
}

void Link::addDescriptors(std::vector<int>& descriptors) const {
    descriptors.push_back(connection_.messages->waitDescriptor());
    descriptors.push_back(connection_.frames ? connection_.frames->waitDescriptor() : -1);
}

void Link::slept(std::uint32_t readable) {
    messages().slept((readable & 1U) != 0);
    if (connection_.frames) {
        path().slept((readable & 2U) != 0);
    }
}

std::chrono::nanoseconds Link::untilNextBeat(TimestampNs now) const {
    constexpr TimestampNs kShortest = 1'000'000;
    const std::chrono::nanoseconds beat = liveness_.untilNext(now);
    auto due = nextDue();
    for (const auto& feature : features_) {
        const auto each = feature->nextDue();
        due = each && (!due || *each < *due) ? each : due;
    }
    return due ? std::min(beat, std::chrono::nanoseconds(std::max(*due - now, kShortest))) : beat;
}

void Link::keepTime(TimestampNs now) {
    liveness_.heard(messages().bytesReceived(), now);
    if (const auto silence = liveness_.silentFor(now)) {
        end(SessionEnd::Kind::Lost, fmt::format("no sign of life from the peer for {} ms", silence->count()));
        return;
    }
    if (liveness_.pingDue(now)) {
        send(Ping{now});
        summarizePeers();
        for (const auto& feature : features_) {
            feature->onTick(now);
        }
        onTick(now);
    }
}

void Link::endWith(const std::string& reason) {
    onStopping();
    send(Bye{reason});
    // Sends the Bye, as far as the channel can write without blocking.
    for (int round = 0; round < kRoundsAtOnce && messages().process() == Progress::Worked; ++round) {
    }
    end(SessionEnd::Kind::Stopped, reason);
}

void Link::sendBytes(std::span<const std::byte> message) {
    if (messages().send(message) == Status::Busy) {
        end(SessionEnd::Kind::Lost, "the peer does not read its messages");
    }
}

void Link::end(SessionEnd::Kind kind, std::string reason, std::optional<RefuseCode> code) {
    if (!end_) {
        end_ = SessionEnd{kind, std::move(reason), code};
    }
}

void Link::refuse(RefuseCode code, const std::string& reason) {
    send(Refuse{code, reason});
    messages().readyToSleep();  // flushes
    end(SessionEnd::Kind::Broken, reason, code);
}

void Link::onMessage(std::span<const std::byte> message) {
    if (end_) {
        return;
    }
    ByteReader reader(message);
    const auto type = static_cast<MessageType>(reader.get<std::uint8_t>());
    switch (type) {
        case MessageType::Hello:
            throw peerError("the peer greeted twice");
        case MessageType::Refuse: {
            const Refuse refusal = decodeMessage<Refuse>(reader);
            end(SessionEnd::Kind::Refused, "the peer refuses: " + refusal.text.value, refusal.code);
            return;
        }
        case MessageType::Ping: {
            const TimestampNs now = nowNs();
            send(Pong{decodeMessage<Ping>(reader).sentAt, now, nowNs()});
            return;
        }
        case MessageType::Pong:
            if (liveness_.takePong(decodeMessage<Pong>(reader), nowNs())) {
                send(Ping{nowNs()});
            }
            return;
        default:
            if (!onSessionMessage(type, reader) &&
                std::ranges::none_of(features_, [&](auto& each) { return each->onMessage(type, reader); }) &&
                needsAgreement(type)) {
                throw peerError("the peer sent a message of type {}, whose use was not agreed on",
                                static_cast<unsigned>(type));
            }
            return;
    }
}

FrameTarget Link::beginFrame(RingId, std::uint32_t, const FrameInfo&) {
    throw peerError("a receiver sent a frame");
}

void Link::onFrame(RingId, std::uint32_t, const FrameInfo&) {
    throw peerError("a receiver sent a frame");
}

}  // namespace verbcast
