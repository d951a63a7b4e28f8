#include "core/api/statistics.h"

#include <cstddef>

#include "core/api/sized_struct.h"

namespace verbcast {

template <>
constexpr SizedStruct kSizedStruct<vc_stats>{"vc_stats", offsetof(vc_stats, frames_shown)};

double median(const Percentiles& latency) {
    return latency.hasAny() ? latency.p50 : -1;
}

double nearlyWorst(const Percentiles& latency) {
    return latency.hasP99() ? latency.p99 : -1;
}

vc_protection protectionFrom(Protection protection) {
    static_assert(static_cast<int>(VC_PROTECTION_ENCRYPTED) == static_cast<int>(Protection::Encrypted));
    return static_cast<vc_protection>(protection);
}

void fillStats(vc_stats* target, const StreamStats& stats) {
    checkedSize(target);
    vc_stats told = VC_INIT(vc_stats);
    told.frames = stats.framesTransferred;
    told.frames_shown = stats.framesShown;
    told.frames_dropped = stats.framesDropped;
    told.frames_lost = stats.framesLost;
    told.frames_skipped = stats.framesSkipped;
    told.frames_corrupt = stats.framesCorrupt;
    told.bytes = stats.bytes;
    told.bytes_moved = stats.bytesMoved;
    told.bytes_copied = stats.bytesCopied;
    told.seconds = stats.seconds;
    const Percentiles known = stats.latencyKnown() ? stats.latency : Percentiles{};
    told.latency_p50 = median(known);
    told.latency_p99 = nearlyWorst(known);
    told.latency_max = known.hasAny() ? known.max : -1;
    told.clock_error = stats.clockErrorUs;
    told.connections = stats.connections;
    told.connections_lost = stats.connectionsLost;
    fillSized(target, told);
}

}  // namespace verbcast
