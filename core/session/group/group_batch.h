// Memory for a batch of datagrams that are taken with one call.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <vector>

#include "core/session/group/group_sink_path.h"

namespace verbcast {

/// Of each datagram the head and the tag come here, and the payload where it is expected to belong: its slot,
/// or `scratch`.
struct GroupSinkPath::Batch {
    explicit Batch(std::uint32_t bytesOfChunks) : chunkBytes(bytesOfChunks), scratch(kBatch * bytesOfChunks) {
        for (std::size_t i = 0; i < kBatch; ++i) {
            pieces[i][0] = {heads[i].data(), heads[i].size()};
            pieces[i][2] = {tails[i].data(), tails[i].size()};
            messages[i].msg_hdr.msg_iov = pieces[i].data();
            messages[i].msg_hdr.msg_iovlen = pieces[i].size();
            messages[i].msg_hdr.msg_name = &from[i];
        }
    }
    std::byte* scratchOf(std::size_t i) { return scratch.data() + i * chunkBytes; }
    std::byte* payloadOf(std::size_t i) { return static_cast<std::byte*>(pieces[i][1].iov_base); }

    const std::uint32_t chunkBytes;
    std::vector<std::byte> scratch;
    std::array<std::array<std::byte, multicast::kHeadBytes>, kBatch> heads{};
    std::array<std::array<std::byte, multicast::kTagBytes + 1>, kBatch>
        tails{};  // a byte more shows who sends too much
    std::array<std::array<iovec, 3>, kBatch> pieces{};
    std::array<sockaddr_in, kBatch> from{};
    std::array<mmsghdr, kBatch> messages{};
    // What takeBatch() found of each: a chunk of a frame, where it lies.
    struct Found {
        multicast::DatagramHead head;
        std::uint32_t bytes = 0;
        bool valid = false;
    };
    std::array<Found, kBatch> found{};
};

}  // namespace verbcast
