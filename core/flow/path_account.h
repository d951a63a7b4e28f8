// What one side of a stream counts, over all of its connections.
#pragma once

#include <cstdint>
#include <utility>

#include "core/stats/live_stats.h"
#include "core/stats/stream_stats.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// The totals of one side; thread-safe.
struct StreamTotals : Counters<StreamStats> {
    Counters<CipherWork> cipher;
    Counters<GroupStats> group;

    void copyTo(StreamStats& stats) const {
        Counters<StreamStats>::copyTo(stats);
        cipher.copyTo(stats.cipher);
        GroupStats sum;
        group.copyTo(sum);
        if (sum != GroupStats{}) {
            stats.group = sum;
        }
    }
};

/// The account of one connection: adds what is new to the totals. Used by the thread that serves the link.
class PathAccount {
  public:
    void update(const FramePath& path, StreamTotals& totals) {
        if (!path.sharesMemory()) {
            const std::uint64_t moved = path.payloadBytesMoved();
            totals[&StreamStats::bytesMoved] += moved - std::exchange(moved_, moved);
        }
        const std::uint64_t copied = path.payloadBytesCopied();
        totals[&StreamStats::bytesCopied] += copied - std::exchange(copied_, copied);
        // Most paths have neither, and this is done for each frame.
        if (const CipherWork cipher = path.cipherWork(); !cipher.empty()) {
            totals.cipher.addNews(cipher, cipher_);
        }
        if (const GroupStats group = path.groupStats(); group.datagrams + group.requests != 0) {
            totals.group.addNews(group, group_);
        }
    }

  private:
    std::uint64_t moved_ = 0, copied_ = 0;  // already in the totals, like the others
    CipherWork cipher_;
    GroupStats group_;
};

}  // namespace verbcast
