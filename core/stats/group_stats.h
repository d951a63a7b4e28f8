// What a sender's group, or a viewer's part in one, has cost.
#pragma once

#include <cstdint>

namespace verbcast {

/// Zero if there is no group. Bytes are of payload.
struct GroupStats {
    std::uint64_t frames = 0;         ///< that left, or came whole, by the group
    std::uint64_t datagrams = 0;      ///< sent, or received
    std::uint64_t bytes = 0;          ///< sent to the group, or received from it, with repeats
    std::uint64_t repeatedBytes = 0;  ///< sender: of these, what several viewers lacked
    std::uint64_t repairedBytes = 0;  ///< written over viewers' own connections
    std::uint64_t requests = 0;       ///< for what was missing
    std::uint64_t refused = 0;        ///< viewer: datagrams that were not the stream's
    std::uint64_t framesLate = 0;     ///< viewer: given up
    std::uint64_t rdmaFrames = 0;     ///< of the frames, by RDMA; the others by UDP
    std::uint64_t rdmaDatagrams = 0;  ///< of the datagrams

    void add(const GroupStats& more) {
        frames += more.frames;
        datagrams += more.datagrams;
        bytes += more.bytes;
        repeatedBytes += more.repeatedBytes;
        repairedBytes += more.repairedBytes;
        requests += more.requests;
        refused += more.refused;
        framesLate += more.framesLate;
        rdmaFrames += more.rdmaFrames;
        rdmaDatagrams += more.rdmaDatagrams;
    }
    friend bool operator==(const GroupStats&, const GroupStats&) = default;
};

}  // namespace verbcast
