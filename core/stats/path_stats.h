// What a connection's frames cost on their way, beyond being moved.
#pragma once

#include <cstdint>

#include "core/stats/stats_fields.h"

namespace verbcast {

/// What encrypting and decrypting has cost; zero if frames travel in the clear.
struct CipherWork {
    std::uint64_t bytes = 0;        ///< payload that this side has encrypted or decrypted
    std::uint64_t nanoseconds = 0;  ///< processor time that this took
    std::uint64_t refused = 0;      ///< frames that were not as the sender had sealed them

    bool empty() const { return bytes == 0 && refused == 0; }
    double gigabytesPerSecond() const {
        return nanoseconds > 0 ? static_cast<double>(bytes) / static_cast<double>(nanoseconds) : 0;
    }

    static constexpr void fields(auto visit) {
        visit("frames_refused", &CipherWork::refused);
        visit(nullptr, &CipherWork::bytes);
        visit(nullptr, &CipherWork::nanoseconds);
        visit("cipher_gigabytes_per_second", &CipherWork::gigabytesPerSecond);
    }
};

/// What a sender's group, or a viewer's part in one, has cost; zero if there is none. Bytes are of payload.
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

    static constexpr void fields(auto visit) {
        visit("frames", &GroupStats::frames);
        visit("datagrams", &GroupStats::datagrams);
        visit("bytes", &GroupStats::bytes);
        visit({"bytes_repeated", nullptr}, &GroupStats::repeatedBytes);
        visit({"bytes_repaired", nullptr}, &GroupStats::repairedBytes);
        visit({nullptr, "datagrams_refused"}, &GroupStats::refused);
        visit({nullptr, "frames_late"}, &GroupStats::framesLate);
        visit("requests", &GroupStats::requests);
        visit("frames_by_rdma", &GroupStats::rdmaFrames);
        visit("datagrams_by_rdma", &GroupStats::rdmaDatagrams);
    }
    friend bool operator==(const GroupStats&, const GroupStats&) = default;
};

}  // namespace verbcast
