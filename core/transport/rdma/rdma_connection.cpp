#include "core/transport/rdma/rdma_connection.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/log/log.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

constexpr TimestampNs kPeerCheckInterval = 10'000'000;
constexpr std::chrono::milliseconds kLinger{250};

RdmaGreeting greetingOf(const PortLimits& limits, bool immediates, const std::optional<Voucher>& voucher) {
    RdmaGreeting greeting;
    greeting.voucher = voucher ? voucher->secret() : VoucherSecret{};
    greeting.features = limits.immediates && immediates ? kTakesImmediates : 0;
    greeting.messageCredits = kMessageCredits;
    greeting.largestWriteBytes = limits.largestWriteBytes;
    return greeting;
}

LogCategory categoryOf(const std::string& scheme) {
    return scheme == "ofi" ? LogCategory::Ofi : LogCategory::Verbs;
}

std::string chunkText(std::uint32_t bytes) {
    return bytes >= (1U << 20) ? fmt::format("{} MiB chunks", bytes >> 20)
                               : fmt::format("{} KiB chunks", bytes >> 10);
}

}  // namespace

RdmaConnection::RdmaConnection(std::unique_ptr<QueuePort> port, ConnectionSide side,
                               const RdmaConnectionOptions& options)
    : options_(options),
      side_(side),
      port_(std::move(port)),
      receives_(*port_),
      queue_(*port_),
      awaitsHangUp_(!port_->limits().heardAfterStop) {
    try {
        for (const int descriptor : port_->descriptors()) {
            wait_.add(descriptor);
        }
        wait_.add(tasks_.descriptor());
        if (isLocalAddressText(port_->peerAddress())) {
            voucher_.emplace(side_, listenerAddress());
        }
        port_->begin(encodeGreeting(greetingOf(port_->limits(), options_.immediates, voucher_)));
    } catch (...) {
        port_->stop();
        throw;
    }
}

RdmaConnection::~RdmaConnection() {
    linger();
    port_->stop();  // before the memory that it may access
    port_->domain()->sources().dropUnused();
}

std::string RdmaConnection::listenerAddress() const {
    return side_ == ConnectionSide::Connecting ? port_->peerAddress() : port_->localAddress();
}

Connection RdmaConnection::share(std::unique_ptr<RdmaConnection> connection) {
    const std::shared_ptr<RdmaConnection> whole = std::move(connection);
    return {whole, std::shared_ptr<FramePath>(whole, &*whole->frames_)};
}

bool RdmaConnection::handshake() {
    if (!state_.opened) {
        while (!port_->established()) {
            if (port_->arm()) {
                return false;
            }
            if (!port_->failure().empty()) {
                throw Error(ErrorKind::Network, fmt::format("{}: {}", peerAddress(), port_->failure()));
            }
        }
        const GreetingOrRefusal answer = decodeGreeting(port_->peerGreeting());
        if (!answer.greeting) {
            throw Error(ErrorKind::Peer, fmt::format("{} is not a Verbcast of this version: {}",
                                                     peerAddress(), answer.problem));
        }
        open(*answer.greeting);
    }
    while (handshaking_) {
        const Progress progress = advance();
        if (progress == Progress::Closed) {
            throw Error(ErrorKind::Network, fmt::format("{}: {}", peerAddress(), closeReason_));
        }
        if (progress == Progress::Idle && armed()) {
            return false;
        }
    }
    return true;
}

void RdmaConnection::open(const RdmaGreeting& peer) {
    const RdmaGreeting own = greetingOf(port_->limits(), options_.immediates, voucher_);
    const FrameSenderOptions frames{
        .chunkBytes = std::min({kMaxRdmaWrite, own.largestWriteBytes, peer.largestWriteBytes}) & ~4095U,
        .immediates = (own.features & peer.features & kTakesImmediates) != 0};
    frames_.emplace(*port_, queue_, credits_, receives_, tasks_, state_, frames);
    credits_.allow(peer.messageCredits);
    description_ = {.transport = options_.scheme,
                    .local = port_->localAddress(),
                    .peer = port_->peerAddress(),
                    .place = placeOf(peer.voucher),
                    .detail = fmt::format("{}, {}, {}", port_->describe(),
                                          frames.immediates ? "WRITE with immediate" : "WRITE then SEND",
                                          chunkText(frames.chunkBytes))};
    if (!port_->sharesDomain()) {
        log(categoryOf(options_.scheme))
            .debug("{}: {} writes into this side's rings {}", options_.scheme, description_.peer,
                   port_->limits().windows ? "through memory windows of type 2"
                                           : "with the keys of their registrations");
    }
    state_.opened = true;
    if (side_ == ConnectionSide::Connecting && postMessage(MessageKind::Hello, {}) != Status::Ok) {
        throw Error(ErrorKind::Network, fmt::format("{}: {}", description_.peer, port_->failure()));
    }
    helloSequence_ = queue_.posted();
}

PeerPlace RdmaConnection::placeOf(const VoucherSecret& peer) const {
    if (!voucher_) {
        return PeerPlace::OtherHost;
    }
    const auto peerSide =
        side_ == ConnectionSide::Connecting ? ConnectionSide::Accepting : ConnectionSide::Connecting;
    return isOfThisUser(peer, peerSide, listenerAddress()) ? PeerPlace::ThisUser : PeerPlace::OtherUser;
}

Progress RdmaConnection::process() {
    return state_.closing ? Progress::Closed : advance();  // linger() sends what is left
}

Progress RdmaConnection::advance() {
    if (state_.closed) {
        return Progress::Closed;
    }
    const bool registered = tasks_.anyDone();
    if (registered) {
        tasks_.finish();
    }
    if (handleCompletions() || registered) {
        slept_ = false;  // that was what woke us; if the connection manager did too, it will again
        flushControl();
        if (!state_.closing) {
            frames_->pump();
        }
        finishClose();
        return state_.closed ? Progress::Closed : Progress::Worked;
    }
    frames_->rings().queueWasEmpty();
    // A failure seen before this poll: everything that the peer had sent is handled by now.
    if (!port_->failure().empty()) {
        shut(closeSequence_ ? "closed" : port_->failure());
        return Progress::Closed;
    }
    finishClose();
    if (state_.closed) {
        return Progress::Closed;
    }
    if (const TimestampNs now = nowNs(); slept_ || now >= nextPeerCheck_) {
        slept_ = false;
        nextPeerCheck_ = now + kPeerCheckInterval;
        port_->checkPeer();
        return port_->failure().empty() ? Progress::Idle : Progress::Worked;
    }
    return Progress::Idle;
}

bool RdmaConnection::readyToSleep() {
    return !state_.closing && armed();
}

bool RdmaConnection::armed() {
    slept_ = true;
    if (state_.closed || batchNext_ < batchCount_ || tasks_.anyDone() || !port_->failure().empty() ||
        !port_->arm()) {
        return false;
    }
    batchNext_ = 0;
    batchCount_ = port_->poll(batch_);
    return batchCount_ == 0 && port_->failure().empty();
}

Status RdmaConnection::send(std::span<const std::byte> message) {
    if (message.empty() || message.size() > kMaxMessageBytes) {
        throw Error(ErrorKind::Internal,
                    fmt::format("a message of {} bytes, 1 to {} expected", message.size(), kMaxMessageBytes));
    }
    return state_.closed || state_.closing ? Status::Closed : postMessage(MessageKind::Session, message);
}

/// Sends what is waiting for room in the send queue.
void RdmaConnection::flushControl() {
    if (state_.closed) {
        return;
    }
    if (credits_.mustTell()) {
        // If there is no room now, the completion that makes room leads back here.
        [[maybe_unused]] const Status status = postMessage(MessageKind::Credits, {});
    }
    if (state_.closing && !closeSequence_ && postMessage(MessageKind::Close, {}) == Status::Ok) {
        closeSequence_ = queue_.posted();
    }
}

void RdmaConnection::close() {
    if (state_.closed || state_.closing) {
        return;
    }
    state_.closing = true;
    closeReason_ = "closed";
    port_->checkPeer();  // a peer that has gone is sent nothing
    if (state_.opened) {
        flushControl();
    }
}

/// Hangs up once the peer's device has our Close, and with it everything before; if that is not enough, the
/// peer hangs up.
void RdmaConnection::finishClose() {
    if (!state_.closed && closeSequence_ && queue_.isRetired(*closeSequence_) && !awaitsHangUp_) {
        shut("closed");
    }
}

void RdmaConnection::shut(const std::string& reason) {
    state_.closed = true;
    closeReason_ = closeReason_.empty() ? reason : closeReason_;
    port_->stop();  // from here on nothing of ours is read or written
    frames_->drop();
}

void RdmaConnection::linger() noexcept {
    if (state_.closed || !state_.opened || handshaking_) {
        return;  // a peer that has not said Hello is not worth waiting for
    }
    try {
        handler_ = nullptr;
        frames_->setHandler(nullptr);
        close();
        const Deadline deadline = Deadline::in(kLinger);
        while (!state_.closed && !deadline.passed()) {
            if (advance() == Progress::Idle && armed()) {
                waitReadable({wait_.descriptor()}, deadline);
            }
        }
    } catch (const std::exception& error) {
        log(categoryOf(options_.scheme))
            .debug("{}: {} while closing: {}", options_.scheme, description_.peer, error.what());
    }
}

}  // namespace verbcast
