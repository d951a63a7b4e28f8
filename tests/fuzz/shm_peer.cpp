#include "tests/fuzz/shm_peer.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace verbcast::fuzz {
namespace {

constexpr std::size_t kMaxDescriptors = 3;
constexpr std::size_t kMaxPacketBytes = 16;

UniqueFd memfd(off_t bytes, unsigned seals) {
    UniqueFd memory(::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    require(::ftruncate(memory.get(), bytes) == 0 && ::fcntl(memory.get(), F_ADD_SEALS, seals) == 0, "memfd");
    return memory;
}

}  // namespace

ShmPeer::ShmPeer() : itsRing_(shm::RingMemory::map(UniqueFd(::dup(producer_.descriptor())))) {
    std::array<int, 2> ends{};
    require(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) == 0,
            "socketpair");
    socket_.reset(ends[0]);
    other_.reset(ends[1]);
}

void ShmPeer::record(shm::RecordKind kind, Bytes head, Bytes tail) {
    const std::array<Bytes, 3> parts{std::as_bytes(std::span(&kind, 1)), head, tail};
    expectErrors([&] { static_cast<void>(producer_.write(parts)); });  // its position may be corrupt
}

void ShmPeer::rawRecord(Bytes bytes) {
    const std::array<Bytes, 1> parts{bytes};
    expectErrors([&] { static_cast<void>(producer_.write(parts)); });
}

/// What a peer may pass: the ring of records, frame memory, and invalid descriptors.
UniqueFd ShmPeer::descriptor(std::uint8_t kind) {
    constexpr unsigned kRingSeals = F_SEAL_SHRINK | F_SEAL_GROW;
    constexpr unsigned kFrameSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE;
    switch (kind % 8) {
        case 0:
            return UniqueFd(::dup(producer_.descriptor()));
        case 1:
            return memfd(4 * 4096, kFrameSeals);
        case 2:
            return UniqueFd(::dup(socket_.get()));
        case 3:
            return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        case 4:
            return memfd(shm::kRingHeaderBytes + shm::kRingBytes, 0);
        case 5:
            return memfd(4096, kRingSeals);
        case 6:
            return memfd(4096, kFrameSeals);
        default:
            return memfd(off_t{1} << 40, kFrameSeals);  // takes no memory until it is written
    }
}

void ShmPeer::packet(Script& script) {
    constexpr std::array kKinds{shm::PacketKind::Ring, shm::PacketKind::Memory, shm::PacketKind::Doorbell};
    const auto kind = script.byte();
    std::array<std::uint32_t, kMaxPacketBytes / 4> bytes{};
    bytes[0] = kind < kKinds.size() ? static_cast<std::uint32_t>(kKinds[kind]) : kind;
    bytes[1] = script.byte();
    iovec whole{bytes.data(), script.byte() % (kMaxPacketBytes + 1)};
    const std::size_t count = script.byte() % (kMaxDescriptors + 1);

    std::array<UniqueFd, kMaxDescriptors> owned;
    std::array<int, kMaxDescriptors> passed{};
    for (std::size_t i = 0; i < count; ++i) {
        owned[i] = descriptor(script.byte());
        passed[i] = owned[i].get();
    }
    msghdr message{};
    message.msg_iov = &whole;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
    if (count > 0) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        std::memcpy(CMSG_DATA(header), passed.data(), count * sizeof(int));
    }
    static_cast<void>(::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL));
}

void ShmPeer::hear() {
    for (;;) {
        std::array<std::uint32_t, 2> bytes{};
        iovec whole{bytes.data(), sizeof bytes};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
        msghdr message{};
        message.msg_iov = &whole;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        if (::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0) {
            return;
        }
        const cmsghdr* header = CMSG_FIRSTHDR(&message);
        if (header == nullptr) {
            continue;
        }
        std::array<int, 2> came{-1, -1};
        std::memcpy(came.data(), CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
        if (bytes[0] == static_cast<std::uint32_t>(shm::PacketKind::Ring)) {
            ourRing_ = shm::RingMemory::map(UniqueFd(came[0]));
        } else {
            memories_.emplace_back(came[0]);
            deathSockets_.emplace_back(came[1]);
        }
    }
}

void ShmPeer::tellDeathSocket(Bytes bytes) const {
    if (!deathSockets_.empty()) {
        static_cast<void>(
            ::send(deathSockets_.front().get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
    }
}

void ShmPeer::hangUp() {
    // The other side may have received this end of its own connection, which then outlives us. (Heartbeats
    // detect that.)
    ::shutdown(socket_.get(), SHUT_RDWR);
    socket_.reset();
    deathSockets_.clear();
}

}  // namespace verbcast::fuzz
