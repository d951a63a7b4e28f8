#include "core/transport/shm/shm_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "core/base/error.h"
#include "core/transport/socket_owner.h"

namespace verbcast::shm {
namespace {

struct PacketBytes {
    PacketKind kind;
    std::uint32_t ring;
};
static_assert(sizeof(PacketBytes) == 8);

// Leaves room for more, so that too many are detected. The kernel discards what does not fit.
constexpr std::size_t kMaxDescriptors = kMaxBuffers + 4;
static_assert(kMaxBuffers > 1 + kMaxDeathSockets);
// Doorbells that takeMemory() skips at most; a socket's buffer holds fewer.
constexpr int kMaxPacketsBeforeMemory = 4096;

int socketOption(int descriptor, int option) {
    int value = -1;
    socklen_t size = sizeof value;
    return ::getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

/// What a peer-death socket is. Closing other sockets may take time, and so does writing to files.
bool isStreamOnThisMachine(const UniqueFd& descriptor) {
    return socketOption(descriptor.get(), SO_DOMAIN) == AF_UNIX &&
           socketOption(descriptor.get(), SO_TYPE) == SOCK_STREAM;
}

/// Takes ownership of every descriptor in the message. Whatever they are, closing them must not wait: a
/// socket may linger (socket(7)).
std::vector<UniqueFd> ownDescriptors(msghdr& message) {
    std::vector<UniqueFd> owned;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const std::size_t bytes = header->cmsg_len - CMSG_LEN(0);
        for (std::size_t at = 0; at + sizeof(int) <= bytes; at += sizeof(int)) {
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(header) + at, sizeof descriptor);
            owned.emplace_back(descriptor);
            constexpr linger kAtOnce{};
            ::setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &kAtOnce, sizeof kAtOnce);  // if it is a socket
        }
    }
    return owned;
}

/// Whether a packet of this kind may carry this many descriptors.
bool mayCarry(PacketKind kind, std::size_t descriptors) {
    switch (kind) {
        case PacketKind::Doorbell:
            return descriptors == 0;
        case PacketKind::Ring:
            return descriptors == 1;
        case PacketKind::Buffers:
            return descriptors >= 1 && descriptors <= kMaxBuffers;
        case PacketKind::Memory:
            return descriptors >= 2 && descriptors <= 1 + kMaxDeathSockets;
    }
    return descriptors == 1;  // unknown kind: take() rejects it
}

}  // namespace

bool ShmSocket::pass(std::uint32_t ring, std::shared_ptr<const Memory> memory, UniqueFd descriptor,
                     std::vector<UniqueFd> deathSockets) {
    if (toSend_.size() >= kMaxWaitingMemories) {
        return false;
    }
    toSend_.push_back({ring, std::move(memory), std::move(descriptor), std::move(deathSockets), false});
    return true;
}

bool ShmSocket::sendQueued(int ringDescriptor) {
    if (!ringSent_) {
        ringSent_ = send(PacketKind::Ring, 0, std::span(&ringDescriptor, 1));
    }
    while (ringSent_ && !toSend_.empty()) {
        if (!sendMemory(toSend_.front())) {
            break;
        }
        toSend_.pop_front();
    }
    return allSent();
}

bool ShmSocket::sendMemory(Outgoing& next) {
    const std::span<const UniqueFd> buffers = next.memory->buffers();
    std::vector<int> descriptors;
    if (!buffers.empty() && !next.buffersSent) {
        std::ranges::transform(buffers, std::back_inserter(descriptors), &UniqueFd::get);
        next.buffersSent = send(PacketKind::Buffers, next.ring, descriptors);
        if (!next.buffersSent) {
            return false;
        }
    }
    const int own = buffers.empty() ? next.memory->descriptor() : buffers.front().get();
    descriptors = {next.descriptor ? next.descriptor.get() : own};
    std::ranges::transform(next.deathSockets, std::back_inserter(descriptors), &UniqueFd::get);
    return send(PacketKind::Memory, next.ring, descriptors);
}

bool ShmSocket::peerIsSameUser() const {
    const auto peer = processAt(socket_.get());
    return peer && isThisUser(peer->uid);
}

bool ShmSocket::send(PacketKind kind, std::uint32_t ring, std::span<const int> descriptors) const {
    PacketBytes bytes{kind, ring};
    iovec whole{&bytes, sizeof bytes};
    msghdr message{};
    message.msg_iov = &whole;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxBuffers * sizeof(int))> control{};
    if (!descriptors.empty()) {
        const std::size_t size = descriptors.size() * sizeof(int);
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(size);
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(header), descriptors.data(), size);
    }
    // Whether it is full or closed makes no difference here: reading shows that the peer is gone.
    return ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

void ShmSocket::hear() {
    while (peerGone_.empty()) {
        auto packet = receive();
        if (!packet) {
            return;
        }
        const bool doorbell = packet->kind == PacketKind::Doorbell;
        take(std::move(*packet));
        if (doorbell) {
            return;
        }
    }
}

std::optional<ShmSocket::Packet> ShmSocket::receive() {
    PacketBytes bytes{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
    iovec whole{&bytes, sizeof bytes};
    msghdr message{};
    message.msg_iov = &whole;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    auto got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == ECONNRESET) {
        // Reported once if the peer left packets of ours unread. What it had sent is still behind that.
        got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return std::nullopt;
    }
    if (got < 0) {
        peerGone_ = errno == ECONNRESET ? "the peer closed the connection" : "receiving: " + errnoText(errno);
        return std::nullopt;
    }
    std::vector<UniqueFd> descriptors = ownDescriptors(message);
    if (got == 0 && descriptors.empty()) {
        peerGone_ = "the peer closed the connection";
        return std::nullopt;
    }
    if (got != sizeof bytes || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 ||
        !mayCarry(bytes.kind, descriptors.size())) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent a packet of {} bytes and {} descriptors, which is not this "
                                "version's shared memory protocol",
                                got, descriptors.size()));
    }
    return Packet{bytes.kind, bytes.ring, std::move(descriptors)};
}

void ShmSocket::take(Packet packet) {
    switch (packet.kind) {
        case PacketKind::Doorbell:
            return;
        case PacketKind::Ring:
            if (!ringCame_) {
                ringCame_ = true;
                ring_ = std::move(packet.descriptors.front());
                return;
            }
            break;
        case PacketKind::Buffers:
            return takeBuffers(std::move(packet));
        case PacketKind::Memory:
            return takeMemoryOf(std::move(packet));
    }
    refuse(packet.kind);
}

void ShmSocket::takeBuffers(Packet packet) {
    const auto waiting = static_cast<std::size_t>(
        std::ranges::count_if(memories_, [](const Incoming& one) { return !one.passed.buffers.empty(); }));
    if (buffers_ || waiting >= kMaxWaitingBuffers) {
        refuse(packet.kind);
    }
    if (!peerIsSameUser()) {
        throw Error(ErrorKind::Peer, "the peer offers buffers of a device, and is another user");
    }
    buffers_ = std::move(packet);
}

void ShmSocket::takeMemoryOf(Packet packet) {
    if (memories_.size() >= kMaxWaitingMemories || (buffers_ && buffers_->ring != packet.ring)) {
        refuse(packet.kind);
    }
    PassedMemory passed{.memory = std::move(packet.descriptors.front()), .deathSockets = {}};
    packet.descriptors.erase(packet.descriptors.begin());
    passed.deathSockets = std::move(packet.descriptors);
    if (!std::ranges::all_of(passed.deathSockets, isStreamOnThisMachine)) {
        throw Error(ErrorKind::Peer,
                    "the peer passes a peer-death socket that is no stream socket of this machine");
    }
    if (buffers_) {
        passed.buffers = std::move(buffers_->descriptors);
        buffers_.reset();
    }
    memories_.push_back({packet.ring, std::move(passed)});
}

void ShmSocket::refuse(PacketKind kind) {
    throw Error(ErrorKind::Peer, fmt::format("the peer sent a packet of kind {:#x} at the wrong time",
                                             static_cast<std::uint32_t>(kind)));
}

PassedMemory ShmSocket::takeMemory(std::uint32_t ring) {
    for (int packets = 0;; ++packets) {
        while (!memories_.empty()) {
            Incoming next = std::move(memories_.front());
            memories_.pop_front();
            if (next.ring == ring) {
                return std::move(next.passed);
            }
        }
        auto packet = peerGone_.empty() && packets < kMaxPacketsBeforeMemory ? receive() : std::nullopt;
        if (!packet) {
            return {};
        }
        take(std::move(*packet));
    }
}

void ShmSocket::hangUp() noexcept {
    ::shutdown(socket_.get(), SHUT_RDWR);
}

}  // namespace verbcast::shm
