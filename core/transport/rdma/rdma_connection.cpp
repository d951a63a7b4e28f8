// What an RDMA connection does per message and per completion.
//
// A message is copied into the request (or into registered memory if large) and posted; the peer copies it
// out of its receive, which is reposted before the handler runs, however long that takes. A frame's arrival
// is a completion too: see frame_sender.cpp.
//
// No allocation, lock or log per message, and no system call unless the thread was asleep.
#include "core/transport/rdma/rdma_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/log/log.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

// For those who spin: some milliseconds.
constexpr int kIdleRoundsPerPeerCheck = 4096;
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
    if (slept_ || ++idleRounds_ == kIdleRoundsPerPeerCheck) {
        slept_ = false;
        idleRounds_ = 0;
        port_->checkPeer();
        return port_->failure().empty() ? Progress::Idle : Progress::Worked;
    }
    return Progress::Idle;
}

bool RdmaConnection::armed() {
    slept_ = true;
    if (state_.closed || batchNext_ < batchCount_ || tasks_.anyDone() || !port_->failure().empty() ||
        (!stillArmed_ && !port_->arm())) {
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
        const Deadline deadline = Deadline::in(gaveUp_ ? std::chrono::nanoseconds(0) : kLinger);
        do {
            if (advance() == Progress::Idle && armed()) {
                waitReadable({wait_.descriptor()}, deadline);
            }
        } while (!state_.closed && !deadline.passed());
    } catch (const std::exception& error) {
        log(categoryOf(options_.scheme))
            .debug("{}: {} while closing: {}", options_.scheme, description_.peer, error.what());
    }
}

bool RdmaConnection::handleCompletions() {
    if (batchNext_ == batchCount_) {
        batchNext_ = 0;
        batchCount_ = port_->poll(batch_);
    }
    if (batchCount_ == 0) {
        return false;
    }
    stillArmed_ = false;  // these may have used it up
    const bool handshaking = handshaking_;
    while (batchNext_ < batchCount_ && !state_.closed && handshaking == handshaking_) {
        if (handshaking_ && side_ == ConnectionSide::Connecting && endsHandshake(batch_[batchNext_])) {
            handshaking_ = false;  // what follows is for the session
        } else {
            handleCompletion(batch_[batchNext_++]);
        }
    }
    return true;
}

/// On the connecting side: our Hello has left. Providers without progress of their own send it only while
/// somebody polls, so the connecting side stays here until then.
bool RdmaConnection::endsHandshake(const Completion& completion) const {
    return completion.kind == Completion::Kind::Message || completion.kind == Completion::Kind::Immediate ||
           (completion.kind == Completion::Kind::Sent &&
            static_cast<std::int32_t>(static_cast<std::uint32_t>(completion.workId) - helloSequence_) >= 0);
}

void RdmaConnection::handleCompletion(const Completion& completion) {
    switch (completion.kind) {
        case Completion::Kind::Sent:
            queue_.retire(completion.workId);
            frames_->requestsRetired();
            return;
        case Completion::Kind::Message:
            frames_->rings().peerSpoke();
            handleMessage(completion);
            return;
        case Completion::Kind::Immediate:
            frames_->rings().peerSpoke();
            if (completion.tookReceive && !receives_.repost(completion.workId)) {
                return;  // process() finds the port's failure
            }
            bytesReceived_ += frames_->frameArrived(ringOfImmediate(completion.immediate),
                                                    slotOfImmediate(completion.immediate), nullptr);
            return;
        case Completion::Kind::Failed:
            fail(completion);
            return;
    }
}

void RdmaConnection::handleMessage(const Completion& completion) {
    const std::size_t bytes = std::min<std::size_t>(completion.bytes, incoming_.size());
    std::memcpy(incoming_.data(), receives_.data(completion.workId), bytes);
    if (!receives_.repost(completion.workId)) {
        return;
    }
    bytesReceived_ += bytes;
    if (bytes < kMessageHeaderBytes) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sent a message of {} bytes", bytes));
    }
    MessageHeader header;
    std::memcpy(&header, incoming_.data(), sizeof header);
    if (handshaking_ != (header.kind == MessageKind::Hello)) {
        throw Error(ErrorKind::Peer, "the peer's messages do not start with one Hello");
    }
    credits_.peerTook(header.consumed);
    dispatch(header, std::span<const std::byte>(incoming_).first(bytes).subspan(kMessageHeaderBytes));
}

void RdmaConnection::dispatch(const MessageHeader& header, std::span<const std::byte> payload) {
    switch (header.kind) {
        case MessageKind::Hello:
            handshaking_ = false;
            return;
        case MessageKind::Session:
            credits_.countTaken();
            if (payload.empty()) {
                throw Error(ErrorKind::Peer, "the peer sent a message of 0 bytes");
            }
            if (handler_ != nullptr) {
                handler_->onMessage(payload);
            }
            return;
        case MessageKind::Credits:
            return;
        case MessageKind::Frame: {
            const FrameNotice notice = decodeFrameNotice(payload);
            bytesReceived_ += frames_->frameArrived(notice.ring, notice.slot, &notice.record);
            return;
        }
        case MessageKind::Close:
            shut("the peer closed the connection");
            return;
    }
    throw Error(ErrorKind::Peer,
                fmt::format("the peer sent a message of the unknown kind {}", static_cast<int>(header.kind)));
}

void RdmaConnection::fail(const Completion& completion) {
    port_->checkPeer();
    if (closeSequence_) {
        shut("closed");
    } else if (!port_->failure().empty()) {
        shut(port_->failure());
    } else if (completion.flushed) {
        shut("the peer disconnected");  // iWARP flushes before rdma_cm reports it
    } else {
        shut(port_->statusText(completion));
    }
}

Status RdmaConnection::postMessage(MessageKind kind, std::span<const std::byte> payload) {
    const bool credited = kind == MessageKind::Session;
    if (!port_->failure().empty()) {
        return Status::Closed;
    }
    if ((credited && credits_.left() == 0) || queue_.room() <= (credited ? kRoomForControl : 0)) {
        return Status::Busy;
    }
    MessageHeader header;
    header.kind = kind;
    header.consumed = credits_.taken();
    const Status status =
        queue_.postMessage(header, payload, kind == MessageKind::Close || kind == MessageKind::Hello);
    if (status == Status::Ok) {
        credits_.tell();
        if (credited) {
            credits_.countSent();
        }
    }
    return status;
}

}  // namespace verbcast
