// What the paths of one side's connections have cost, in total.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/stats/stream_stats.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// The totals of one side; read from any thread.
struct PathTotals {
    std::atomic<std::uint64_t> bytesMoved{0};
    std::atomic<std::uint64_t> bytesCopied{0};
    std::atomic<std::uint64_t> bytesFromDevice{0};
    std::atomic<std::uint64_t> bytesToDevice{0};
    std::atomic<std::uint64_t> cipherBytes{0};
    std::atomic<std::uint64_t> cipherNanoseconds{0};
    std::atomic<std::uint64_t> framesRefused{0};
    std::atomic<std::uint64_t> groupFrames{0}, groupDatagrams{0}, groupBytes{0}, groupRequests{0},
        groupRefused{0}, groupLate{0}, groupRdmaFrames{0}, groupRdmaDatagrams{0};

    void addTo(StreamStats& stats) const {
        stats.bytesMoved = bytesMoved;
        stats.bytesCopied = bytesCopied;
        stats.bytesFromDevice = bytesFromDevice;
        stats.bytesToDevice = bytesToDevice;
        stats.cipherBytes = cipherBytes;
        stats.cipherSeconds = static_cast<double>(cipherNanoseconds) * 1e-9;
        stats.framesRefused = framesRefused;
        GroupStats group;
        group.frames = groupFrames;
        group.datagrams = groupDatagrams;
        group.bytes = groupBytes;
        group.requests = groupRequests;
        group.refused = groupRefused;
        group.framesLate = groupLate;
        group.rdmaFrames = groupRdmaFrames;
        group.rdmaDatagrams = groupRdmaDatagrams;
        if (group != GroupStats{}) {
            stats.group = group;
        }
    }
};

/// The account of one connection: adds what is new to the totals. Used by the thread that serves the link.
class PathAccount {
  public:
    void update(const FramePath& path, PathTotals& totals) {
        const std::uint64_t copied = path.payloadBytesCopied();
        if (!path.sharesMemory()) {
            const std::uint64_t moved = path.payloadBytesMoved();
            totals.bytesMoved += moved - std::exchange(moved_, moved);
        }
        const CipherWork work = path.cipherWork();
        totals.bytesCopied += copied - std::exchange(copied_, copied);
        if (work.bytes != work_.bytes || work.refused != work_.refused) {
            totals.cipherBytes += work.bytes - work_.bytes;
            totals.cipherNanoseconds += work.nanoseconds - work_.nanoseconds;
            totals.framesRefused += work.refused - work_.refused;
            work_ = work;
        }
        if (const GroupStats group = path.groupStats(); group.datagrams + group.requests != 0) {
            totals.groupFrames += group.frames - group_.frames;
            totals.groupDatagrams += group.datagrams - group_.datagrams;
            totals.groupBytes += group.bytes - group_.bytes;
            totals.groupRequests += group.requests - group_.requests;
            totals.groupRefused += group.refused - group_.refused;
            totals.groupLate += group.framesLate - group_.framesLate;
            totals.groupRdmaFrames += group.rdmaFrames - group_.rdmaFrames;
            totals.groupRdmaDatagrams += group.rdmaDatagrams - group_.rdmaDatagrams;
            group_ = group;
        }
    }

  private:
    std::uint64_t moved_ = 0, copied_ = 0;  // already in the totals
    CipherWork work_;
    GroupStats group_;
};

}  // namespace verbcast
