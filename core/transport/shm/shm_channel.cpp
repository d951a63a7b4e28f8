// Per frame: one record of 144 bytes into a ring in shared memory, and one futex wake-up when the other side
// sleeps (or a doorbell, one send of 4 bytes). Copies of pixels: none.
#include "core/transport/shm/shm_channel.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace verbcast::shm {
namespace {

constexpr std::size_t kMaxQueued = 256;
constexpr std::size_t kMaxPoolDescriptors = 4;
// A thread that spins looks at the socket this often, to notice that the peer is gone.
constexpr TimestampNs kSocketInterval = 1'000'000;

struct PoolRecord {
    std::uint64_t slotBytes;
    std::uint32_t generation;
    std::uint32_t slotCount;
};
static_assert(sizeof(PoolRecord) == 16);

struct FrameRecord {
    std::uint32_t generation;
    std::uint32_t slot;
    FrameInfo info;
};
static_assert(sizeof(FrameRecord) == 136);

template <typename T>
std::span<const std::byte> bytesOf(const T& value) {
    return std::as_bytes(std::span(&value, 1));
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
    if (armed_) {
        armed_ = false;
        incoming_.wakeUp();
    }
    // What has come is handled before its doorbell is: the frame waits for no system call.
    if (const Progress progress = processRecords(handler); progress != Progress::Idle) {
        return progress;
    }
    const TimestampNs now = nowNs();
    if (!slept_ && !descriptorWoke_ && now - socketSeenAt_ <= kSocketInterval) {
        return Progress::Idle;
    }
    slept_ = false;
    socketSeenAt_ = now;
    readSocket();
    return processRecords(handler);
}

Progress ShmChannel::processWhileAsleep(ChannelHandler& handler) {
    if (const Progress progress = processRecords(handler); progress != Progress::Idle || !descriptorWoke_) {
        return progress;
    }
    readSocket();
    return processRecords(handler);
}

Progress ShmChannel::processRecords(ChannelHandler& handler) {
    bool worked = false;
    if (closeReason_.empty()) {
        worked |= flushQueue();
        worked |= readRecord(handler);
    }
    if (!worked && !peerGone_.empty()) {
        fail(peerGone_);
    }
    if (!closeReason_.empty()) {
        return Progress::Closed;
    }
    return worked ? Progress::Worked : Progress::Idle;
}

bool ShmChannel::readyToSleep() {
    slept_ = true;
    return prepareSleep() && incoming_.sleep(Sleep::OnSocket);
}

bool ShmChannel::readyToDoze() {
    slept_ = true;
    return prepareSleep();
}

bool ShmChannel::readyToWait() {
    return incoming_ && prepareSleep() && incoming_.sleep(Sleep::OnRing);
}

bool ShmChannel::prepareSleep() {
    if (!peerGone_.empty() || !closeReason_.empty()) {
        return false;
    }
    armed_ = true;
    const bool socketFull = !ringSent_ || !poolsToSend_.empty();
    const std::uint32_t wanted = socketFull && !queue_.empty() ? EPOLLIN | EPOLLOUT : EPOLLIN;
    if (wanted != events_) {
        epoll_event event{};
        event.events = events_ = wanted;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket_.get(), &event);
    }
    return queue_.empty() || socketFull || outgoing_.waitForRoom();
}

ShmChannel::SendResult ShmChannel::sendPacket(PacketKind kind, int descriptor) {
    iovec part{&kind, sizeof kind};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
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
    return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? SendResult::Full : SendResult::Failed;
}

void ShmChannel::ringDoorbell() {
    // A full socket is full of doorbells that have not been heard yet; a closed one is noticed when reading.
    static_cast<void>(sendPacket(PacketKind::Doorbell, -1));
}

bool ShmChannel::sendDescriptors() {
    if (!ringSent_) {
        ringSent_ = sendPacket(PacketKind::Ring, outgoing_.descriptor()) == SendResult::Sent;
    }
    while (ringSent_ && !poolsToSend_.empty()) {
        if (sendPacket(PacketKind::Pool, poolsToSend_.front()->descriptor()) != SendResult::Sent) {
            return false;
        }
        poolsToSend_.pop_front();
    }
    return ringSent_;
}

bool ShmChannel::writeRecord(RecordKind kind, std::span<const std::byte> payload) {
    const std::array<std::span<const std::byte>, 2> parts{bytesOf(kind), payload};
    if (!outgoing_.write(parts)) {
        return false;
    }
    if (outgoing_.wakeConsumer()) {
        ringDoorbell();
    }
    return true;
}

Status ShmChannel::writeOrQueue(RecordKind kind, std::span<const std::byte> payload) {
    if (!closeReason_.empty()) {
        return Status::Closed;
    }
    if (queue_.empty() && sendDescriptors() && writeRecord(kind, payload)) {
        return Status::Ok;
    }
    if (queue_.size() >= kMaxQueued) {
        return Status::Busy;
    }
    queue_.push_back({kind, {payload.begin(), payload.end()}});
    return Status::Ok;
}

bool ShmChannel::flushQueue() {
    bool worked = false;
    while (!queue_.empty() && sendDescriptors() && writeRecord(queue_.front().kind, queue_.front().payload)) {
        queue_.pop_front();
        worked = true;
    }
    return worked;
}

Status ShmChannel::sendMessage(std::span<const std::byte> message) {
    return writeOrQueue(RecordKind::SessionMessage, message);
}

bool ShmChannel::hasRoomToSpare() const {
    return queue_.size() < kMaxQueued / 2;
}

void ShmChannel::setSourcePool(std::uint32_t generation, std::shared_ptr<FramePool> pool) {
    const PoolRecord record{pool->slotBytes(), generation, pool->slotCount()};
    sourceGeneration_ = generation;
    poolsToSend_.push_back(std::move(pool));
    if (writeOrQueue(RecordKind::Pool, bytesOf(record)) == Status::Busy) {
        fail("the peer does not read any more");
    }
}

void ShmChannel::setSinkPool(std::uint32_t /*generation*/, std::shared_ptr<FramePool> /*pool*/) {
    throw Error(ErrorKind::Internal, "a sink that shares the source's pool has none of its own");
}

Status ShmChannel::sendFrame(const OutgoingFrame& frame) {
    const FrameRecord record{sourceGeneration_, frame.localSlot, frame.info};
    return writeOrQueue(RecordKind::Frame, bytesOf(record));
}

void ShmChannel::keepWarm() {
    // Nobody is woken for it: a peer that sleeps finds it later.
    if (queue_.empty() && ringSent_ && !outgoing_.consumerSleeps()) {
        const FrameRecord record{};
        const RecordKind kind = RecordKind::KeepWarm;
        static_cast<void>(outgoing_.write(std::array{bytesOf(kind), bytesOf(record)}));
    }
}

void ShmChannel::readSocket() {
    // Nothing waits behind a doorbell but another one, mostly; if something does, the socket stays readable.
    descriptorWoke_ = doorbellHeard_ = false;
    while (!doorbellHeard_ && closeReason_.empty() && peerGone_.empty() && readPacket()) {
    }
}

bool ShmChannel::readPacket() {
    PacketKind kind{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    iovec whole{&kind, sizeof kind};
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
        peerGone_ = got == 0 || errno == ECONNRESET ? "the peer closed the connection"
                                                    : "receiving: " + errnoText(errno);
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
    if (got != sizeof kind || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        throw Error(ErrorKind::Peer, "the peer does not speak this version's shared memory protocol");
    }
    takePacket(kind, std::move(descriptor));
    return true;
}

void ShmChannel::takePacket(PacketKind kind, UniqueFd descriptor) {
    switch (kind) {
        case PacketKind::Doorbell:
            doorbellHeard_ = true;
            return;
        case PacketKind::Ring:
            if (descriptor && !incoming_) {
                incoming_.attach(RingMemory::map(std::move(descriptor)));
                return;
            }
            break;
        case PacketKind::Pool:
            if (descriptor && poolDescriptors_.size() < kMaxPoolDescriptors) {
                poolDescriptors_.push_back(std::move(descriptor));
                return;
            }
            break;
    }
    throw Error(ErrorKind::Peer, fmt::format("the peer sent a packet of kind {:#x} at the wrong time",
                                             static_cast<std::uint32_t>(kind)));
}

bool ShmChannel::readRecord(ChannelHandler& handler) {
    alignas(std::uint64_t) std::array<std::byte, kMaxMessageBytes + sizeof(RecordKind)> buffer;
    const auto record = incoming_.read(buffer);
    if (record.empty()) {
        return false;
    }
    if (incoming_.takeProducerWaits()) {
        ringDoorbell();
    }
    bytesReceived_ += record.size();
    handleRecord(handler, record);
    return true;
}

void ShmChannel::handleRecord(ChannelHandler& handler, std::span<const std::byte> record) {
    if (record.size() < sizeof(RecordKind)) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sent a packet of {} bytes", record.size()));
    }
    RecordKind kind{};
    std::memcpy(&kind, record.data(), sizeof kind);
    const auto payload = record.subspan(sizeof kind);
    switch (kind) {
        case RecordKind::SessionMessage:
            handler.onMessage(payload);
            return;
        case RecordKind::Pool:
            handlePool(handler, payload);
            return;
        case RecordKind::Frame:
            handleFrame(handler, payload);
            return;
        case RecordKind::KeepWarm:
            return;
    }
    throw Error(ErrorKind::Peer,
                fmt::format("the peer sent a packet of unknown kind {}", static_cast<std::uint32_t>(kind)));
}

void ShmChannel::handlePool(ChannelHandler& handler, std::span<const std::byte> payload) {
    // It was sent before the record, perhaps behind doorbells.
    do {
        doorbellHeard_ = false;
        if (poolDescriptors_.empty()) {
            readSocket();
        }
    } while (poolDescriptors_.empty() && doorbellHeard_);
    PoolRecord record;
    if (payload.size() != sizeof record || poolDescriptors_.empty()) {
        throw Error(ErrorKind::Peer, "the peer announced a ring without its memory");
    }
    std::memcpy(&record, payload.data(), sizeof record);
    UniqueFd descriptor = std::move(poolDescriptors_.front());
    poolDescriptors_.pop_front();
    peerPools_[1] = std::move(peerPools_[0]);
    peerPools_[0] = {record.generation,
                     FramePool::mapPeer(std::move(descriptor), record.slotBytes, record.slotCount)};
    handler.onPeerPool(record.generation, peerPools_[0].pool);
}

void ShmChannel::handleFrame(ChannelHandler& handler, std::span<const std::byte> payload) {
    FrameRecord packet;
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
        incoming_.rouse();
    }
}

}  // namespace verbcast::shm
