// A hand-made peer over shared memory: a socket that may send anything, and a ring of records.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "core/transport/shm/shm_channel.h"
#include "tests/support/bytes_of.h"

namespace verbcast::testing {

class RawShmPeer {
  public:
    explicit RawShmPeer(const std::string& name)
        : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = "verbcast/" + name;
        std::memcpy(address.sun_path + 1, path.data(), path.size());
        EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address),
                            static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size())),
                  0);
    }

    bool packet(shm::PacketKind kind, std::uint32_t ring, const std::vector<int>& descriptors,
                std::size_t bytes = 8) const {
        std::array<std::uint32_t, 4> body{static_cast<std::uint32_t>(kind), ring, 0, 0};
        iovec whole{body.data(), bytes};
        msghdr message{};
        message.msg_iov = &whole;
        message.msg_iovlen = 1;
        std::vector<char> control(CMSG_SPACE(descriptors.size() * sizeof(int)));
        if (!descriptors.empty()) {
            message.msg_control = control.data();
            message.msg_controllen = control.size();
            cmsghdr* header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
            std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
        }
        return ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL) >= 0;
    }
    bool passRing() const { return packet(shm::PacketKind::Ring, 0, {records.descriptor()}); }
    bool record(std::uint32_t kind, std::span<const std::byte> body) {
        return records.write(std::array{bytesOf(kind), body});
    }
    bool frame(std::uint32_t ringId, std::uint32_t slot, const FrameInfo& info, std::size_t infoBytes) {
        const std::array<std::uint32_t, 3> head{ringId, slot, 0};
        const auto kind = static_cast<std::uint32_t>(shm::RecordKind::Frame);
        return records.write(std::array{bytesOf(kind), bytesOf(head), bytesOf(info).first(infoBytes)});
    }
    int socket() const { return socket_.get(); }
    void hangUp() { socket_.reset(); }

    shm::RingProducer records;

  private:
    UniqueFd socket_;
};

}  // namespace verbcast::testing
