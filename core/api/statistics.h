// Statistics and trust in the C interface.
#pragma once

#include "core/api/common.h"
#include "core/session/trust/trust.h"
#include "core/stats/stream_stats.h"

namespace verbcast {

/// Throws Error{Usage} for a struct without a size.
void fillStats(vc_stats* target, const StreamStats& stats);

/// -1: not known.
double median(const Percentiles& latency);
double nearlyWorst(const Percentiles& latency);

vc_protection protectionFrom(Protection protection);

}  // namespace verbcast
