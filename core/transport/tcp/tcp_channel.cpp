#include "core/transport/tcp/tcp_channel.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "core/transport/socket_address.h"

namespace verbcast::tcp {
namespace {

// Messages are small and few; more than this unsent means that the peer does not read any more.
constexpr std::size_t kMaxControlBacklog = 256U << 10;

template <typename T>
std::span<const std::byte> bytesOf(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

}  // namespace

TcpChannel::TcpChannel(UniqueFd control, UniqueFd data)
    : control_(std::move(control)), data_(std::move(data)), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) {
        throwErrno(ErrorKind::Resource, "epoll_create1", "a tcp channel", errno);
    }
    const int one = 1;
    ::setsockopt(control_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    ::setsockopt(data_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    description_.transport = "tcp";
    description_.anyMemory = true;
    description_.local = localAddressOf(control_.get()).text();
    description_.peer = peerAddressOf(control_.get()).text();
    int mss = 0;
    socklen_t length = sizeof mss;
    ::getsockopt(data_.get(), IPPROTO_TCP, TCP_MAXSEG, &mss, &length);
    description_.detail = fmt::format("two connections, MSS {}", mss);
    watch(control_.get(), controlEvents_, EPOLLIN);
    watch(data_.get(), dataEvents_, EPOLLIN);
}

void TcpChannel::watch(int socket, std::uint32_t& current, std::uint32_t wanted) const {
    if (current == wanted) {
        return;
    }
    epoll_event event{};
    event.events = wanted;
    event.data.fd = socket;
    ::epoll_ctl(epoll_.get(), current == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
    current = wanted;
}

Progress TcpChannel::process(ChannelHandler& handler) {
    if (!closeReason_.empty()) {
        return Progress::Closed;
    }
    bool worked = flushControl();
    worked |= receiveControl(handler);
    worked |= flushFrames(handler);
    worked |= receiveFrames(handler);
    if (!closeReason_.empty()) {
        // One connection may be gone before the other's last words were read: why the peer refuses, for
        // example.
        while (receiveControl(handler)) {
        }
        return Progress::Closed;
    }
    return worked ? Progress::Worked : Progress::Idle;
}

bool TcpChannel::readyToSleep() {
    setWakeThreshold();
    // Level-triggered: whatever came in between makes the descriptor readable at once.
    watch(control_.get(), controlEvents_, controlOut_.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT);
    watch(data_.get(), dataEvents_, sendingCount_ == 0 ? EPOLLIN : EPOLLIN | EPOLLOUT);
    return true;
}

Status TcpChannel::sendMessage(std::span<const std::byte> message) {
    if (!closeReason_.empty()) {
        return Status::Closed;
    }
    if (controlOut_.size() > kMaxControlBacklog) {
        return Status::Busy;
    }
    queueControl(ControlKind::SessionMessage, message);
    flushControl();
    return Status::Ok;
}

bool TcpChannel::hasRoomToSpare() const {
    return controlOut_.size() < kMaxControlBacklog / 2;
}

void TcpChannel::queueControl(ControlKind kind, std::span<const std::byte> payload) {
    const ControlHeader header{static_cast<std::uint32_t>(payload.size()), kind};
    const auto head = bytesOf(header);
    controlOut_.insert(controlOut_.end(), head.begin(), head.end());
    controlOut_.insert(controlOut_.end(), payload.begin(), payload.end());
}

bool TcpChannel::flushControl() {
    if (controlOut_.empty()) {
        return false;
    }
    const auto sent = ::send(control_.get(), controlOut_.data() + controlOutSent_,
                             controlOut_.size() - controlOutSent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
        if (errno != EAGAIN && errno != EINTR) {
            fail(fmt::format("sending: {}", errnoText(errno)));
        }
        return false;
    }
    controlOutSent_ += static_cast<std::size_t>(sent);
    if (controlOutSent_ == controlOut_.size()) {
        controlOut_.clear();
        controlOutSent_ = 0;
    }
    return true;
}

bool TcpChannel::receiveControl(ChannelHandler& handler) {
    std::array<std::byte, 16384> buffer;
    const auto got = ::recv(control_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
    }
    if (got <= 0) {
        fail(got == 0 ? "the peer closed the connection" : fmt::format("receiving: {}", errnoText(errno)));
        return false;
    }
    bytesReceived_ += static_cast<std::uint64_t>(got);
    controlIn_.insert(controlIn_.end(), buffer.data(), buffer.data() + got);
    std::size_t offset = 0;
    while (controlIn_.size() - offset >= sizeof(ControlHeader)) {
        ControlHeader header;
        std::memcpy(&header, controlIn_.data() + offset, sizeof header);
        if (header.length > kMaxMessageBytes) {
            throw Error(ErrorKind::Peer,
                        fmt::format("the peer announces a message of {} bytes; at most {} expected",
                                    header.length, kMaxMessageBytes));
        }
        if (controlIn_.size() - offset - sizeof header < header.length) {
            break;
        }
        handleControl(handler, header.kind,
                      std::span<const std::byte>(controlIn_).subspan(offset + sizeof header, header.length));
        offset += sizeof header + header.length;
    }
    controlIn_.erase(controlIn_.begin(), controlIn_.begin() + static_cast<std::ptrdiff_t>(offset));
    return true;
}

void TcpChannel::handleControl(ChannelHandler& handler, ControlKind kind,
                               std::span<const std::byte> payload) {
    if (kind == ControlKind::SessionMessage) {
        handler.onMessage(payload);
        return;
    }
    if (kind != ControlKind::PoolAnnouncement || payload.size() != sizeof(PoolAnnouncement)) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent a control message of unknown kind {} with {} bytes",
                                static_cast<std::uint32_t>(kind), payload.size()));
    }
    PoolAnnouncement announcement;
    std::memcpy(&announcement, payload.data(), sizeof announcement);
    if (announcement.slotCount < 1 || announcement.slotCount > kMaxSlots || announcement.slotBytes == 0) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers an impossible ring: {} slots of {} bytes",
                                                 announcement.slotCount, announcement.slotBytes));
    }
    peerGeneration_ = announcement.generation;
    handler.onPeerSlots(announcement.generation, announcement.slotBytes, announcement.slotCount);
}

void TcpChannel::setSourcePool(std::uint32_t /*generation*/, std::shared_ptr<FramePool> pool) {
    sourcePool_ = std::move(pool);
}

void TcpChannel::setSinkPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) {
    if (incomingPool_) {
        throw Error(ErrorKind::Peer, "the peer asked for a new ring in the middle of a frame");
    }
    const PoolAnnouncement announcement{pool->slotBytes(), generation, pool->slotCount()};
    sinkPools_[1] = std::move(sinkPools_[0]);
    sinkPools_[0] = {generation, std::move(pool)};
    queueControl(ControlKind::PoolAnnouncement, bytesOf(announcement));
    flushControl();
}

void TcpChannel::close() {
    if (closeReason_.empty()) {
        flushControl();
        fail("closed here");
    }
    ::shutdown(control_.get(), SHUT_RDWR);
    ::shutdown(data_.get(), SHUT_RDWR);
}

void TcpChannel::fail(std::string reason) {
    if (closeReason_.empty()) {
        closeReason_ = std::move(reason);
    }
}

}  // namespace verbcast::tcp
