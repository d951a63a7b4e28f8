// Memory for datagrams that are received with one call.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/multicast/group_sink_path.h"

namespace verbcast {

/// Places for datagrams, in the order in which they are expected. The head and the tag of each go here, and
/// the payload where it is expected to belong: in its slot, or in `scratch`. The kernel gives datagrams one
/// by one, or several as one message (UDP_GRO), cut where each ends; so a message is a run of places.
struct GroupSinkPath::Batch {
    static constexpr std::size_t kMessages = 64;
    static constexpr std::size_t kMessageBytes = 65'535;

    Batch(std::uint32_t bytesOfChunks, std::size_t bytesOfTag)
        : chunkBytes(bytesOfChunks),
          tagBytes(bytesOfTag),
          perMessage(kMessageBytes / datagramBytes() + 1),
          places(std::max<std::size_t>(kMessages, 4 * perMessage)),
          scratch(places * chunkBytes),
          heads(places),
          tags(places),
          pieces(3 * places + kMessages),
          found(places) {}

    std::size_t datagramBytes() const { return multicast::kHeadBytes + chunkBytes + tagBytes; }
    std::byte* scratchOf(std::size_t place) { return scratch.data() + place * chunkBytes; }
    std::byte* payloadOf(std::size_t place) const { return found[place].payload; }
    /// Lays out each message as a run of places: one, or as many as a message can hold.
    void layOut() {
        runs = merged ? perMessage : 1;
        count = merged ? places / perMessage : kMessages;
        std::size_t piece = 0;
        for (std::size_t i = 0; i < count; ++i) {
            msghdr& header = messages[i].msg_hdr;
            header.msg_iov = &pieces[piece];
            header.msg_name = &from[i];
            header.msg_namelen = sizeof from[i];
            const std::size_t begin = piece;
            for (std::size_t place = i * runs; place < (i + 1) * runs; ++place) {
                pieces[piece++] = {heads[place].data(), heads[place].size()};
                pieces[piece++] = {found[place].payload, chunkBytes};
                if (tagBytes > 0) {
                    pieces[piece++] = {tags[place].data(), tagBytes};
                }
            }
            header.msg_iovlen = piece - begin;
        }
    }

    const std::uint32_t chunkBytes;
    const std::size_t tagBytes;
    const std::size_t perMessage;
    const std::size_t places;
    std::size_t runs = 1, count = 0;
    bool merged = true;  // messages are expected to hold several
    std::vector<std::byte> scratch;
    std::vector<std::array<std::byte, multicast::kHeadBytes>> heads;
    std::vector<std::array<std::byte, multicast::kTagBytes>> tags;
    std::vector<iovec> pieces;
    std::array<sockaddr_in, kMessages> from{};
    std::array<mmsghdr, kMessages> messages{};
    struct Found {
        multicast::DatagramHead head;
        std::byte* payload = nullptr;  ///< where it was expected to belong
        std::uint32_t bytes = 0;
        bool misplaced = false;
    };
    std::vector<Found> found;
};

}  // namespace verbcast
