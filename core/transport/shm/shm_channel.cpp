// Per frame: one sendmsg of a 140-byte packet at the source, one recvmsg at the sink. Copies of pixels: none.
#include "core/transport/shm/shm_channel.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace verbcast::shm {
namespace {

constexpr std::size_t kMaxQueued = 256;

struct PoolPacket {
    std::uint64_t slotBytes;
    std::uint32_t generation;
    std::uint32_t slotCount;
};
static_assert(sizeof(PoolPacket) == 16);

struct FramePacket {
    std::uint32_t generation;
    std::uint32_t slot;
    FrameInfo info;
};
static_assert(sizeof(FramePacket) == 136);

template <typename T>
std::span<const std::byte> bytesOf(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

iovec part(std::span<const std::byte> bytes) {
    return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

std::string processName(int socket) {
    ucred credentials{};
    socklen_t length = sizeof credentials;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
        return "a process of this machine";
    }
    return fmt::format("process {}", credentials.pid);
}

}  // namespace

ShmChannel::ShmChannel(UniqueFd socket, const std::string& name)
    : socket_(std::move(socket)), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) {
        throwErrno(ErrorKind::Resource, "epoll_create1", "an shm channel", errno);
    }
    description_.transport = "shm";
    description_.local = "shm://" + name;
    description_.peer = processName(socket_.get());
    description_.detail = "sealed shared memory, 0 copies";
    description_.sharesPool = true;
    epoll_event event{};
    event.events = events_ = EPOLLIN;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket_.get(), &event);
}

Progress ShmChannel::process(ChannelHandler& handler) {
    bool worked = false;
    if (closeReason_.empty()) {
        worked |= flushQueue();
    }
    if (closeReason_.empty()) {
        worked |= receivePacket(handler);
    }
    if (!closeReason_.empty()) {
        return Progress::Closed;
    }
    return worked ? Progress::Worked : Progress::Idle;
}

bool ShmChannel::readyToSleep() {
    const std::uint32_t wanted = queue_.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT;
    if (wanted != events_) {
        epoll_event event{};
        event.events = events_ = wanted;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket_.get(), &event);
    }
    return true;
}

ShmChannel::SendResult ShmChannel::sendPacket(std::span<const iovec> parts, int descriptor) {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts.data());
    message.msg_iovlen = parts.size();
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    if (descriptor >= 0) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    if (::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
        return SendResult::Sent;
    }
    if (errno == EAGAIN || errno == EINTR || errno == ENOBUFS) {
        return SendResult::Full;
    }
    fail(errno == EPIPE || errno == ECONNRESET ? "the peer closed the connection"
                                               : "sending: " + errnoText(errno));
    return SendResult::Failed;
}

Status ShmChannel::sendOrQueue(PacketKind kind, std::span<const std::byte> payload,
                               std::shared_ptr<FramePool> pool) {
    if (!closeReason_.empty()) {
        return Status::Closed;
    }
    const std::array<iovec, 2> parts{part(bytesOf(kind)), part(payload)};
    if (queue_.empty()) {
        switch (sendPacket(parts, pool ? pool->descriptor() : -1)) {
            case SendResult::Sent:
                return Status::Ok;
            case SendResult::Failed:
                return Status::Closed;
            case SendResult::Full:
                break;
        }
    }
    if (queue_.size() >= kMaxQueued) {
        return Status::Busy;
    }
    Queued queued;
    for (const iovec& p : parts) {
        const auto* bytes = static_cast<const std::byte*>(p.iov_base);
        queued.packet.insert(queued.packet.end(), bytes, bytes + p.iov_len);
    }
    queued.pool = std::move(pool);
    queue_.push_back(std::move(queued));
    return Status::Ok;
}

bool ShmChannel::flushQueue() {
    bool worked = false;
    while (!queue_.empty()) {
        const Queued& front = queue_.front();
        const iovec whole = part(front.packet);
        if (sendPacket(std::span(&whole, 1), front.pool ? front.pool->descriptor() : -1) !=
            SendResult::Sent) {
            return worked;
        }
        queue_.pop_front();
        worked = true;
    }
    return worked;
}

Status ShmChannel::sendMessage(std::span<const std::byte> message) {
    return sendOrQueue(PacketKind::SessionMessage, message, nullptr);
}

void ShmChannel::setSourcePool(std::uint32_t generation, std::shared_ptr<FramePool> pool) {
    const PoolPacket packet{pool->slotBytes(), generation, pool->slotCount()};
    sourceGeneration_ = generation;
    if (sendOrQueue(PacketKind::Pool, bytesOf(packet), std::move(pool)) == Status::Busy) {
        fail("the peer does not read any more");
    }
}

void ShmChannel::setSinkPool(std::uint32_t /*generation*/, std::shared_ptr<FramePool> /*pool*/) {
    throw Error(ErrorKind::Internal, "a sink that shares the source's pool has none of its own");
}

Status ShmChannel::sendFrame(const OutgoingFrame& frame) {
    const FramePacket packet{sourceGeneration_, frame.localSlot, frame.info};
    return sendOrQueue(PacketKind::Frame, bytesOf(packet), nullptr);
}

bool ShmChannel::receivePacket(ChannelHandler& handler) {
    alignas(std::uint64_t) std::array<std::byte, kMaxMessageBytes + sizeof(PacketKind)> buffer;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    iovec whole{buffer.data(), buffer.size()};
    msghdr message{};
    message.msg_iov = &whole;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const auto got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
    }
    if (got <= 0) {
        fail(got == 0 || errno == ECONNRESET ? "the peer closed the connection"
                                             : "receiving: " + errnoText(errno));
        return false;
    }
    UniqueFd descriptor;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
            header->cmsg_len == CMSG_LEN(sizeof(int))) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
            descriptor.reset(fd);
        }
    }
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent a packet of more than {} bytes", buffer.size()));
    }
    bytesReceived_ += static_cast<std::uint64_t>(got);
    handlePacket(handler, std::span<const std::byte>(buffer).first(static_cast<std::size_t>(got)),
                 std::move(descriptor));
    return true;
}

void ShmChannel::handlePacket(ChannelHandler& handler, std::span<const std::byte> packet,
                              UniqueFd descriptor) {
    if (packet.size() < sizeof(PacketKind)) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sent a packet of {} bytes", packet.size()));
    }
    PacketKind kind{};
    std::memcpy(&kind, packet.data(), sizeof kind);
    const auto payload = packet.subspan(sizeof kind);
    switch (kind) {
        case PacketKind::SessionMessage:
            handler.onMessage(payload);
            return;
        case PacketKind::Pool:
            handlePool(handler, payload, std::move(descriptor));
            return;
        case PacketKind::Frame:
            handleFrame(handler, payload);
            return;
    }
    throw Error(ErrorKind::Peer,
                fmt::format("the peer sent a packet of unknown kind {}", static_cast<std::uint32_t>(kind)));
}

void ShmChannel::handlePool(ChannelHandler& handler, std::span<const std::byte> payload,
                            UniqueFd descriptor) {
    PoolPacket packet;
    if (payload.size() != sizeof packet || !descriptor) {
        throw Error(ErrorKind::Peer, "the peer announced a ring without its memory");
    }
    std::memcpy(&packet, payload.data(), sizeof packet);
    peerPools_[1] = std::move(peerPools_[0]);
    peerPools_[0] = {packet.generation,
                     FramePool::mapPeer(std::move(descriptor), packet.slotBytes, packet.slotCount)};
    handler.onPeerPool(packet.generation, peerPools_[0].pool);
}

void ShmChannel::handleFrame(ChannelHandler& handler, std::span<const std::byte> payload) {
    FramePacket packet;
    if (payload.size() != sizeof packet) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sent a frame packet of {} bytes; {} expected",
                                                 payload.size(), sizeof packet));
    }
    std::memcpy(&packet, payload.data(), sizeof packet);
    for (const PeerPool& candidate : peerPools_) {
        if (!candidate.pool || candidate.generation != packet.generation) {
            continue;
        }
        if (packet.slot >= candidate.pool->slotCount() || packet.info.payloadBytes == 0 ||
            packet.info.payloadBytes > candidate.pool->slotBytes()) {
            throw Error(ErrorKind::Peer,
                        fmt::format("the peer names slot {} with {} bytes in a ring of {} slots of {}",
                                    packet.slot, packet.info.payloadBytes, candidate.pool->slotCount(),
                                    candidate.pool->slotBytes()));
        }
        handler.onFrame(packet.generation, packet.slot, packet.info);
        return;
    }
    throw Error(ErrorKind::Peer,
                fmt::format("the peer names ring {}, which does not exist", packet.generation));
}

void ShmChannel::close() {
    if (closeReason_.empty()) {
        flushQueue();
        fail("closed here");
    }
}

void ShmChannel::fail(std::string reason) {
    if (closeReason_.empty()) {
        closeReason_ = std::move(reason);
        ::shutdown(socket_.get(), SHUT_RDWR);
    }
}

}  // namespace verbcast::shm
