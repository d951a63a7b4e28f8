#include "core/transport/verbs/verbs_channel.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/log.h"
#include "core/transport/rdma_devices.h"
#include "core/transport/socket_address.h"
#include "core/transport/verbs/verbs_errors.h"

namespace verbcast {
namespace {

// Payload in the send queue at most: it keeps the device busy while this thread wakes up (0.3 ms at 50 GB/s).
constexpr std::uint32_t kWindowBytes = 16U << 20;
constexpr TimestampNs kCmCheckInterval = 10'000'000;
constexpr TimestampNs kAliveInterval = 100'000'000;
constexpr std::size_t kMaxHeld = 64;
constexpr std::chrono::milliseconds kLinger{250};

struct NoHandler final : ChannelHandler {
    void onMessage(std::span<const std::byte>) override {}
    void onPeerSlots(std::uint32_t, std::uint64_t, std::uint32_t) override {}
    void onPeerPool(std::uint32_t, std::shared_ptr<FramePool>) override {}
    void onFrame(std::uint32_t, std::uint32_t, const FrameInfo&) override {}
    void onFrameSent(std::uint32_t) override {}
};

SocketAddress copyAddress(const sockaddr* raw) {
    SocketAddress address;
    address.length = raw->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    std::memcpy(&address.storage, raw, address.length);
    return address;
}

void addToEpoll(int epoll, int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    checkErrno(::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event), ErrorKind::Internal, "epoll_ctl",
               "verbs channel");
}

}  // namespace

VerbsChannel::VerbsChannel(std::unique_ptr<Endpoint> endpoint, const Greeting& peer, ConnectionSide side,
                           const VerbsOptions& options)
    : endpoint_(std::move(endpoint)), peer_(peer), side_(side) {
    endpoint_->finishSettings();
    endpoint_->requireGid(options);
    const Greeting own = endpoint_->greeting();
    useImmediates_ = options.immediate && (own.features & peer.features & kTakesImmediates) != 0;
    sendDepth_ = endpoint_->limits().sendDepth;
    chunkBytes_ = std::min({kLargestRdmaWrite, own.largestWriteBytes, peer.largestWriteBytes}) & ~4095U;
    largestWindow_ = static_cast<std::uint16_t>(std::clamp(kWindowBytes / chunkBytes_, 2U, sendDepth_ / 2));
    signalledChunks_ = std::max<std::uint16_t>(1, largestWindow_ / 4);
    // Never so small that all of its chunks could be unsignalled: nothing would go on.
    smallestWindow_ = static_cast<std::uint16_t>(2 * signalledChunks_);
    chunkWindow_ = largestWindow_;
    for (std::uint32_t index = 0; index < kSendBuffers; ++index) {
        freeBuffers_[freeBufferCount_++] = index;
    }
    makeWaitDescriptor();
    describe();
    awaitingHello_ = side == ConnectionSide::Accepting;
    if (side == ConnectionSide::Connecting && postMessage(MessageKind::Hello, {}) != Status::Ok) {
        throw Error(ErrorKind::Network, fmt::format("{}: {}", description_.peer, closeReason_));
    }
}

VerbsChannel::~VerbsChannel() {
    linger();
    if (!closed_) {
        shut("closed");
    }
}

void VerbsChannel::makeWaitDescriptor() {
    wait_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
    checkErrno(wait_ ? 0 : -1, ErrorKind::Resource, "epoll_create1", "verbs channel");
    addToEpoll(wait_.get(), endpoint_->completions().descriptor());
    addToEpoll(wait_.get(), endpoint_->events().descriptor());
    addToEpoll(wait_.get(), registered_.descriptor());
}

void VerbsChannel::describe() {
    description_.transport = "verbs";
    description_.local = copyAddress(rdma_get_local_addr(endpoint_->id())).text();
    description_.peer = copyAddress(rdma_get_peer_addr(endpoint_->id())).text();
    description_.detail = endpoint_->describe(useImmediates_, chunkBytes_);
}

bool VerbsChannel::handshake() {
    NoHandler nobody;
    while (awaitingHello_) {
        const Progress progress = process(nobody);
        if (progress == Progress::Closed) {
            throw Error(ErrorKind::Network, fmt::format("{}: {}", description_.peer, closeReason_));
        }
        if (progress == Progress::Idle && readyToSleep()) {
            return false;
        }
    }
    return true;
}

Progress VerbsChannel::process(ChannelHandler& handler) {
    if (closed_) {
        return Progress::Closed;
    }
    const bool registered = registrationWaits();
    if (registered) {
        takeRegistrations();
    }
    if (handleCompletions(handler) || registered) {
        slept_ = false;  // that was what woke us; rdma_cm, if it did too, does so again
        flushControl();
        pumpFrames();
        finishClose();
        return closed_ ? Progress::Closed : Progress::Worked;
    }
    if (!held_.empty()) {
        flushControl();
    }
    // A disconnection that was seen before this poll: whatever the peer had sent is handled by now.
    if (!disconnectReason_.empty()) {
        shut(disconnectReason_);
        return Progress::Closed;
    }
    finishClose();
    if (closed_) {
        return Progress::Closed;
    }
    if (const TimestampNs now = nowNs(); slept_ || now >= nextCmCheck_) {
        slept_ = false;
        nextCmCheck_ = now + kCmCheckInterval;
        readCmEvents();
        return disconnectReason_.empty() ? Progress::Idle : Progress::Worked;
    }
    return Progress::Idle;
}

bool VerbsChannel::readyToSleep() {
    slept_ = true;
    if (closed_ || !disconnectReason_.empty() || batchNext_ < batchCount_ || registrationWaits()) {
        return false;
    }
    if (!endpoint_->completions().arm()) {
        disconnectReason_ = fmt::format("the completion queue of {} failed", endpoint_->deviceName());
        return false;
    }
    const int count = endpoint_->completions().poll(batch_);
    batchNext_ = 0;
    batchCount_ = count > 0 ? static_cast<std::size_t>(count) : 0;
    return batchCount_ == 0;
}

void VerbsChannel::readCmEvents() {
    while (const auto event = endpoint_->events().next()) {
        switch (event->type) {
            case RDMA_CM_EVENT_DISCONNECTED:
                disconnectReason_ = "the peer disconnected";
                break;
            case RDMA_CM_EVENT_DEVICE_REMOVAL:
                disconnectReason_ = fmt::format("the RDMA device {} was removed", endpoint_->deviceName());
                ProtectionDomain::forgetDevice(endpoint_->id()->verbs);
                break;
            case RDMA_CM_EVENT_CONNECT_ERROR:
            case RDMA_CM_EVENT_UNREACHABLE:
            case RDMA_CM_EVENT_REJECTED:
                disconnectReason_ = cmFailureText(event->type, event->status);
                break;
            default:
                break;  // ESTABLISHED on the accepting side, ADDR_CHANGE, TIMEWAIT_EXIT
        }
    }
}

Status VerbsChannel::sendMessage(std::span<const std::byte> message) {
    if (message.size() > kMaxMessageBytes) {
        throw Error(ErrorKind::Internal, fmt::format("a message of {} bytes, at most {} expected",
                                                     message.size(), kMaxMessageBytes));
    }
    if (closed_ || closeRequested_) {
        return Status::Closed;
    }
    if (held_.empty()) {
        return postMessage(MessageKind::Session, message);
    }
    if (held_.size() >= kMaxHeld) {
        return Status::Busy;
    }
    // Messages do not overtake the announcement of a pool.
    held_.push_back({MessageKind::Session, true, {message.begin(), message.end()}});
    return Status::Ok;
}

void VerbsChannel::takeCredits(std::uint32_t consumed) {
    if (consumed - peerConsumed_ > messagesSent_ - peerConsumed_) {
        throw Error(ErrorKind::Peer, fmt::format("the peer says it has taken {} messages, {} were sent",
                                                 consumed, messagesSent_));
    }
    peerConsumed_ = consumed;
}

/// What waits for room in the send queue or for credits.
void VerbsChannel::flushControl() {
    while (!closed_ && !held_.empty() && held_.front().ready &&
           postMessage(held_.front().kind, held_.front().payload) == Status::Ok) {
        held_.pop_front();
    }
    if (const TimestampNs now = held_.empty() ? 0 : nowNs(); !closed_ && now > nextAlive_) {
        // The session's messages are held back behind an announcement, its heartbeats too.
        nextAlive_ = now + kAliveInterval;
        [[maybe_unused]] const Status status = postMessage(MessageKind::Alive, {});
    }
    if (!closed_ && consumed_ - consumedTold_ >= kMessageCredits / 2) {
        // Without room now, the completion that makes room comes back here.
        [[maybe_unused]] const Status status = postMessage(MessageKind::Credits, {});
    }
    if (!closed_ && closeRequested_ && !closeSent_ && held_.empty() &&
        postMessage(MessageKind::Close, {}) == Status::Ok) {
        closeSent_ = true;
        closeSequence_ = postedSequence_;
    }
}

void VerbsChannel::close() {
    if (closed_ || closeRequested_) {
        return;
    }
    closeRequested_ = true;
    std::erase_if(held_, [](const HeldMessage& held) { return !held.ready; });
    flushControl();
}

/// Hangs up once the peer's device has our Close, and with it everything before it.
void VerbsChannel::finishClose() {
    if (!closed_ && closeSent_ && static_cast<std::int32_t>(retiredSequence_ - closeSequence_) >= 0) {
        shut("closed");
    }
}

void VerbsChannel::shut(const std::string& reason) {
    closed_ = true;
    closeReason_ = reason;
    // Moves the queue pair into its error state: from here on the peer writes nothing.
    rdma_disconnect(endpoint_->id());
    sinkPools_.clear();
}

void VerbsChannel::linger() noexcept {
    if (closed_) {
        return;
    }
    try {
        close();
        NoHandler nobody;
        const TimestampNs deadline = nowNs() + std::chrono::nanoseconds(kLinger).count();
        for (TimestampNs now = nowNs(); !closed_ && now < deadline; now = nowNs()) {
            if (process(nobody) == Progress::Idle && readyToSleep()) {
                waitReadable({wait_.get()}, std::chrono::nanoseconds(deadline - now));
            }
        }
    } catch (const std::exception& error) {
        log().debug("verbs: {} while closing: {}", description_.peer, error.what());
    }
}

void VerbsChannel::failCompletion(const ibv_wc& completion) {
    readCmEvents();
    if (!disconnectReason_.empty()) {
        shut(disconnectReason_);
    } else if (closeSent_) {
        shut("closed");
    } else if (completion.status == IBV_WC_WR_FLUSH_ERR) {
        shut("the peer disconnected");  // iWARP flushes before rdma_cm tells
    } else {
        shut(completionStatusText(completion.status));
    }
}

void VerbsChannel::failPost(int code) {
    shut(fmt::format("{} takes no work requests: {} ({})", endpoint_->deviceName(), errnoText(code), code));
}

}  // namespace verbcast
