#include "core/transport/shm/shm_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace verbcast::shm {
namespace {

struct PacketBytes {
    PacketKind kind;
    std::uint32_t ring;
};
static_assert(sizeof(PacketBytes) == 8);

// Room for more than one, so that too many are seen as such. What does not fit the kernel keeps to itself.
constexpr std::size_t kMaxDescriptors = 8;
// Doorbells that takeMemory() reads through; a socket's buffer holds fewer.
constexpr int kMaxPacketsBeforeMemory = 4096;

/// Every descriptor of the message, owned. Returns how many there are.
std::size_t ownDescriptors(msghdr& message, std::array<UniqueFd, kMaxDescriptors>& owned) {
    std::size_t count = 0;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const std::size_t bytes = header->cmsg_len - CMSG_LEN(0);
        for (std::size_t at = 0; at + sizeof(int) <= bytes && count < owned.size(); at += sizeof(int)) {
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(header) + at, sizeof descriptor);
            owned[count++].reset(descriptor);
        }
    }
    return count;
}

}  // namespace

bool ShmSocket::pass(std::uint32_t ring, std::shared_ptr<const Memory> memory, UniqueFd lifeline) {
    if (toSend_.size() >= kMaxWaitingMemories) {
        return false;
    }
    toSend_.push_back({ring, std::move(memory), std::move(lifeline)});
    return true;
}

bool ShmSocket::flush(int ringDescriptor) {
    if (!ringSent_) {
        ringSent_ = send(PacketKind::Ring, 0, {ringDescriptor});
    }
    while (ringSent_ && !toSend_.empty() &&
           send(PacketKind::Memory, toSend_.front().ring,
                {toSend_.front().memory->descriptor(), toSend_.front().lifeline.get()})) {
        toSend_.pop_front();
    }
    return allSent();
}

bool ShmSocket::send(PacketKind kind, std::uint32_t ring, std::initializer_list<int> descriptors) const {
    PacketBytes bytes{kind, ring};
    iovec whole{&bytes, sizeof bytes};
    msghdr message{};
    message.msg_iov = &whole;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
    if (descriptors.size() > 0) {
        const std::size_t size = descriptors.size() * sizeof(int);
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(size);
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(header), descriptors.begin(), size);
    }
    // Whether it is full or closed makes no difference here: reading tells that the peer is gone.
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
        // Told once when the peer left packets of ours unread. What it sent before is behind that.
        got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return std::nullopt;
    }
    if (got < 0) {
        peerGone_ = errno == ECONNRESET ? "the peer closed the connection" : "receiving: " + errnoText(errno);
        return std::nullopt;
    }
    std::array<UniqueFd, kMaxDescriptors> descriptors;
    const std::size_t count = ownDescriptors(message, descriptors);
    if (got == 0 && count == 0) {
        peerGone_ = "the peer closed the connection";
        return std::nullopt;
    }
    const std::size_t expected = bytes.kind == PacketKind::Doorbell ? 0
                                 : bytes.kind == PacketKind::Memory ? 2
                                                                    : 1;
    if (got != sizeof bytes || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || count != expected) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent a packet of {} bytes and {} descriptors, which is not this "
                                "version's shared memory protocol",
                                got, count));
    }
    return Packet{bytes.kind, bytes.ring, std::move(descriptors[0]), std::move(descriptors[1])};
}

void ShmSocket::take(Packet packet) {
    switch (packet.kind) {
        case PacketKind::Doorbell:
            return;
        case PacketKind::Ring:
            if (!ringCame_) {
                ringCame_ = true;
                ring_ = std::move(packet.descriptor);
                return;
            }
            break;
        case PacketKind::Memory:
            if (memories_.size() < kMaxWaitingMemories) {
                memories_.push_back(
                    {packet.ring, {std::move(packet.descriptor), std::move(packet.lifeline)}});
                return;
            }
            break;
    }
    throw Error(ErrorKind::Peer, fmt::format("the peer sent a packet of kind {:#x} at the wrong time",
                                             static_cast<std::uint32_t>(packet.kind)));
}

std::optional<UniqueFd> ShmSocket::takeRing() {
    return std::exchange(ring_, std::nullopt);
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
