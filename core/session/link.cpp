#include "core/session/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/spin.h"
#include "core/base/version.h"

namespace verbcast {
namespace {

constexpr TimestampNs kMillisecond = 1'000'000;
constexpr TimestampNs kPingInterval = 200 * kMillisecond;
constexpr TimestampNs kSideJobInterval = 100 * kMillisecond;
constexpr TimestampNs kHandshakeDeadline = 3000 * kMillisecond;
// Between hosts, the first pings follow each other at once, to know the clocks before the first frame.
constexpr int kQuickPings = 8;
constexpr unsigned kTurnsBetweenWarming = 256;  // some 30 us of a spin loop

/// Whether the same two would refuse each other again.
bool isPermanent(RefuseCode code) {
    return code == RefuseCode::Version || code == RefuseCode::Role || code == RefuseCode::Authentication;
}

}  // namespace

Link::Link(std::unique_ptr<Channel> channel, const LinkOptions& options)
    : channel_(std::move(channel)), options_(options) {}

void Link::stop(const std::string& reason) {
    if (!stopping_) {
        stopReason_ = reason;
        stopping_ = true;
        stop_.notify();
    }
}

LinkEnd Link::run() {
    std::unique_lock serving(serving_);
    startedAt_ = lastHeard_ = nowNs();
    try {
        Hello hello;
        hello.role = options_.role;
        hello.host = hostId();
        hello.slots = options_.slots;
        hello.features = options_.features;
        hello.name = options_.name;
        hello.software = fmt::format("verbcast {}", kVersion);
        if (options_.key) {
            hello.authentication = Authentication::SharedKey;
            hello.nonce = nonce_ = makeNonce();
        }
        send(encodeMessage(hello));
        running_ = true;
        loop(serving);
    } catch (const Error& error) {
        running_ = false;
        if (error.kind() == ErrorKind::Peer) {
            refuse(RefuseCode::Protocol, error.what());
            end_ = LinkEnd{LinkEnd::Kind::Broken, error.what(), false};
        } else if (error.kind() == ErrorKind::Resource) {
            refuse(RefuseCode::Resources, error.what());
            channel_->close();
            throw;
        } else {
            channel_->close();
            throw;
        }
    }
    running_ = false;
    channel_->close();
    return *end_;
}

void Link::loop(std::unique_lock<std::mutex>& serving) {
    TimestampNs lastWork = nowNs();
    Spinner spinner;
    while (!end_) {
        const bool worked = round(!consumerSleeps_);
        if (end_) {
            return;
        }
        const TimestampNs now = nowNs();
        if (stopping_) {
            handleStop();
            return;
        }
        if (consumerServes_) {
            keepTime(now, serving);
        } else if (worked) {
            lastWork = now;
        } else if ((options_.poll && !channel_->sendsAtOnce()) ||
                   (channel_->spinHelps() && now - lastWork < kSpin)) {
            spinner.turn();
        } else {
            sleep(now, serving);
        }
        if (assistFailure_) {
            std::rethrow_exception(std::exchange(assistFailure_, nullptr));
        }
    }
}

bool Link::round(bool ownerAwake) {
    bool worked = drainChannel(ownerAwake);
    if (worked && !ownerAwake) {
        channel_->rouse();  // it may be what the consumer waits for
    }
    if (!end_ && ready_) {
        worked |= step();
    }
    if (!end_) {
        heartbeat(nowNs());
    }
    return worked;
}

bool Link::processChannel(bool ownerAwake) {
    switch (ownerAwake ? channel_->process(*this) : channel_->processWhileAsleep(*this)) {
        case Progress::Idle:
            return false;
        case Progress::Worked:
            return true;
        case Progress::Closed:
            end(LinkEnd::Kind::Lost, channel_->closeReason());
            return true;
    }
    return false;
}

bool Link::drainChannel(bool ownerAwake) {
    // Bounded, so that a flood from the peer cannot keep our own frames waiting.
    bool worked = false;
    for (int round = 0; round < 64 && !end_ && processChannel(ownerAwake); ++round) {
        worked = true;
    }
    return worked;
}

std::chrono::nanoseconds Link::untilNextBeat(TimestampNs now) const {
    const TimestampNs patience = kMillisecond * options_.peerTimeout.count();
    const TimestampNs until =
        ready_ ? std::min(lastPing_ + kPingInterval, lastHeard_ + patience) : now + kPingInterval;
    return std::chrono::nanoseconds(std::max<TimestampNs>(until - now, kMillisecond));
}

bool Link::waitForAnything(TimestampNs now, std::unique_lock<std::mutex>& serving) {
    sleepDescriptors_.assign({channel_->waitDescriptor(), wake_.descriptor(), stop_.descriptor()});
    addExtraDescriptors(sleepDescriptors_);
    const std::uint32_t sideJob = 1U << sleepDescriptors_.size();
    if (options_.sideJob != nullptr) {
        sleepDescriptors_.push_back(options_.sideJob->descriptor());
    }
    const auto time = untilNextBeat(now);
    std::uint32_t readable = 0;
    serving.unlock();
    const bool woke = waitReadable(sleepDescriptors_, time, &readable);
    serving.lock();
    sideJobWaits_ |= (readable & sideJob) != 0;
    return woke;
}

void Link::sleep(TimestampNs now, std::unique_lock<std::mutex>& serving) {
    wake_.arm();
    armExtra();
    if ((!ready_ || !step()) && readyToSleep()) {
        waitForAnything(now, serving);
    }
    // A consumer that has taken over in the meantime has armed them for itself.
    if (!consumerServes_) {
        disarmExtra();
    }
    wake_.disarm();
    serveSideJob(now);
}

/// When there is something to do, and else now and then: what it waits for may have to be given up.
void Link::serveSideJob(TimestampNs now) {
    if (options_.sideJob != nullptr && (sideJobWaits_ || now - lastSideJob_ > kSideJobInterval)) {
        sideJobWaits_ = false;
        lastSideJob_ = now;
        options_.sideJob->serve();
    }
}

void Link::keepTime(TimestampNs now, std::unique_lock<std::mutex>& serving) {
    wake_.arm();
    if (consumerSleeps_) {
        disarmExtra();  // what has ended the last wait
        armExtra();
    }
    if (!consumerSleeps_ || !ready_ || !step()) {
        if (waitForAnything(now, serving)) {
            channel_->descriptorWoke();
        }
    }
    wake_.disarm();
    serveSideJob(now);
}

// The three that follow serve for another thread than the link's own. They do not look at the clock:
// heartbeats are left to that thread.

template <typename Work>
void Link::assist(Work&& work) {
    try {
        work();
    } catch (...) {
        assistFailure_ = std::current_exception();
    }
    if (end_ || assistFailure_) {
        wake();
    }
}

void Link::serveSubmitter() {
    // What waits goes first: the peer's news can wait until it is out.
    if (ready_) {
        step();
    }
    if (!end_ && drainChannel(false) && !end_ && ready_) {
        step();
    }
}

void Link::serveNow() {
    if (channel_->sendsAtOnce()) {
        const std::unique_lock serving(serving_, std::try_to_lock);
        if (serving && running_ && !end_ && !assistFailure_) {
            assist([this] { serveSubmitter(); });
            if (end_ || assistFailure_ || readyToSleep()) {
                return;
            }
        }
    }
    wake();
}

void Link::serveMeanwhile() {
    if (!channel_->sendsAtOnce()) {
        return;
    }
    const std::unique_lock serving(serving_, std::try_to_lock);
    if (!serving || !running_ || end_ || assistFailure_) {
        return;
    }
    assist([this] {
        serveSubmitter();
        if (!end_ && ++idleTurns_ % kTurnsBetweenWarming == 0) {
            channel_->keepWarm();
        }
    });
}

Served Link::serve() {
    const std::lock_guard serving(serving_);
    if (!running_ || !ready_ || end_ || assistFailure_) {
        return Served::Ended;
    }
    if (!consumerServes_) {
        consumerServes_ = true;
        disarmExtra();  // what the link's thread has armed for its sleep
        wake();
    }
    const bool wasAsleep = std::exchange(consumerSleeps_, false);
    bool worked = false;
    assist([&] {
        // Who has slept was woken by the frame, which goes first: there was nothing else to do before.
        worked = !wasAsleep && step();
        worked |= !end_ && processChannel(true);  // one piece of news: it may be the frame
    });
    if (wasAsleep) {
        disarmExtra();
    }
    return worked ? Served::Worked : Served::Idle;
}

bool Link::awaitNews(std::chrono::nanoseconds timeout) {
    // Bounded, for a peer that spoils the word we sleep on.
    constexpr std::chrono::milliseconds kLongestWait(500);
    {
        const std::lock_guard serving(serving_);
        if (!running_ || end_ || assistFailure_ || !consumerServes_) {
            return false;
        }
        armExtra();
        consumerSleeps_ = true;
        bool idle = false;
        assist([&] { idle = !step() && !end_ && channel_->readyToWait(); });
        if (!idle) {
            return true;
        }
    }
    channel_->wait(std::min<std::chrono::nanoseconds>(timeout, kLongestWait));
    return true;
}

void Link::heartbeat(TimestampNs now) {
    if (channel_->bytesReceived() != heardBytes_) {
        heardBytes_ = channel_->bytesReceived();
        lastHeard_ = now;
    }
    if (!ready_ && now - startedAt_ > kHandshakeDeadline) {
        end(LinkEnd::Kind::Lost, "the peer does not answer: it may not be verbcast");
        return;
    }
    if (ready_ && now - lastHeard_ > kMillisecond * options_.peerTimeout.count()) {
        end(LinkEnd::Kind::Lost,
            fmt::format("no sign of life from the peer for {} ms", (now - lastHeard_) / kMillisecond));
        return;
    }
    if (ready_ && now - lastPing_ >= kPingInterval) {
        lastPing_ = now;
        send(encodeMessage(Ping{now}));
        onTick(now);
    }
}

void Link::handleStop() {
    if (ready_) {
        onStopping();
    }
    // The reason is not for whoever has not shown the key.
    send(encodeMessage(Bye{ready_ || !options_.key ? stopReason_ : "the other end has stopped"}));
    // The Bye leaves with what the channel can still write without blocking.
    for (int round = 0; round < 64 && channel_->process(*this) == Progress::Worked; ++round) {
    }
    end(LinkEnd::Kind::Stopped, stopReason_);
}

void Link::send(std::span<const std::byte> message) {
    if (channel_->sendMessage(message) == Status::Busy) {
        end(LinkEnd::Kind::Lost, "the peer does not read its messages");
    }
}

void Link::end(LinkEnd::Kind kind, std::string reason, bool permanent) {
    if (!end_) {
        end_ = LinkEnd{kind, std::move(reason), permanent};
    }
}

void Link::refuse(RefuseCode code, const std::string& reason) {
    if (channel_->sendMessage(encodeMessage(Refuse{code, reason})) == Status::Ok) {
        channel_->readyToSleep();
    }
    end(LinkEnd::Kind::Broken, reason, isPermanent(code));
}

void Link::onMessage(std::span<const std::byte> message) {
    if (end_) {
        return;
    }
    ByteReader reader(message);
    const auto type = static_cast<MessageType>(reader.get<std::uint8_t>());
    if (type == MessageType::Refuse) {
        handleRefuse(decodeRefuse(reader));
        return;
    }
    if (type == MessageType::Hello) {
        handleHello(decodeHello(reader));
        return;
    }
    if (type == MessageType::Proof) {
        handleProof(decodeProof(reader));
        return;
    }
    if (!ready_ && helloSeen_ && type == MessageType::Bye) {
        end(LinkEnd::Kind::Lost, decodeBye(reader).reason);
        return;
    }
    if (!ready_) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent message {} before its greeting", static_cast<int>(type)));
    }
    switch (type) {
        case MessageType::Ping:
            send(encodeMessage(Pong{decodePing(reader).sentAt, nowNs(), nowNs()}));
            return;
        case MessageType::Pong: {
            const Pong pong = decodePong(reader);
            peerClock_.addSample(pong.pingSentAt, pong.receivedAt, pong.sentAt, nowNs());
            if (quickPings_ > 0) {
                --quickPings_;
                send(encodeMessage(Ping{nowNs()}));
            }
            return;
        }
        default:
            onSessionMessage(type, reader);
            return;
    }
}

void Link::handleHello(const Hello& hello) {
    if (helloSeen_) {
        throw Error(ErrorKind::Peer, "the peer greeted twice");
    }
    helloSeen_ = true;
    if (hello.magic != kProtocolMagic || hello.version != kProtocolVersion) {
        refuse(RefuseCode::Version,
               hello.magic != kProtocolMagic
                   ? "the peer does not speak verbcast's protocol"
                   : fmt::format("the peer speaks version {} of the protocol, this side version {}",
                                 hello.version, kProtocolVersion));
        return;
    }
    if (const auto mismatch = roleMismatch(options_.role, hello.role)) {
        refuse(RefuseCode::Role, *mismatch);
        return;
    }
    if (hello.authentication > Authentication::SharedKey) {
        refuse(RefuseCode::Authentication, fmt::format("authentication method {} is unknown here",
                                                       static_cast<int>(hello.authentication)));
        return;
    }
    const bool peerHasKey = hello.authentication != Authentication::None;
    if (peerHasKey != options_.key.has_value()) {
        refuse(RefuseCode::Authentication, fmt::format("only one side has a key: the {}",
                                                       roleName(peerHasKey ? hello.role : options_.role)));
        return;
    }
    peer_ = hello;
    if (!options_.key) {
        becomeReady();
    } else if (options_.side == KeySide::Connecting) {
        sendProof();
    }
}

void Link::sendProof() {
    send(encodeMessage(Proof{
        options_.key->prove(options_.side, static_cast<std::uint8_t>(options_.role), nonce_, peer_.nonce)}));
}

/// Whoever listens proves nothing to a caller that has not.
void Link::handleProof(const Proof& proof) {
    if (!helloSeen_ || !options_.key || ready_) {
        throw Error(ErrorKind::Peer, "the peer proves what it was not asked for");
    }
    const bool listens = options_.side == KeySide::Listening;
    const KeyProof expected = options_.key->prove(listens ? KeySide::Connecting : KeySide::Listening,
                                                  static_cast<std::uint8_t>(peer_.role), peer_.nonce, nonce_);
    if (!SessionKey::equal(proof.proof, expected)) {
        refuse(RefuseCode::Authentication, "the two sides have different keys");
        return;
    }
    if (listens) {
        sendProof();
    }
    becomeReady();
}

void Link::becomeReady() {
    ready_ = true;
    if (peer_.host == hostId()) {
        peerClock_.setSameHost();
    } else {
        quickPings_ = kQuickPings;
    }
    onReady();
}

void Link::handleRefuse(const Refuse& refusal) {
    end(LinkEnd::Kind::Refused, "the peer refuses: " + refusal.text, isPermanent(refusal.code));
}

void Link::onPeerSlots(std::uint32_t, std::uint64_t, std::uint32_t) {
    throw Error(ErrorKind::Peer, "a sender offered a ring to write into");
}

void Link::onPeerPool(std::uint32_t, std::shared_ptr<FramePool>) {
    throw Error(ErrorKind::Peer, "a receiver offered a ring to read from");
}

void Link::onFrame(std::uint32_t, std::uint32_t, const FrameInfo&) {
    throw Error(ErrorKind::Peer, "a receiver sent a frame");
}

void Link::onFrameSent(std::uint32_t) {}

}  // namespace verbcast
