// How viewing ends, whatever shows the streams: a window, a kiosk, a display without a desktop, or nothing.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "app/view/view_options.h"
#include "core/stats/stats_json.h"
#include "core/stream/incoming_stream.h"

namespace verbcast {

struct ViewOutcome {
    /// "frames", "duration", "end of stream", "closed", "interrupted", "lost", an error's kind
    std::string reason;
    int exitCode = 0;
};

/// Of a stream that could not be received or shown.
ViewOutcome outcomeOf(const std::exception_ptr& failure);
/// Of one that is over; its last status, if it had one.
ViewOutcome outcomeOf(const std::optional<ReceiverStatus>& status);

/// The exit code for damaged frames, and for lost ones of a lossless stream; 0 without.
int codeOfFrames(const StreamStats& stats);

/// Writes --stats-json, as one stream's if there can be only one.
void writeViewStats(const ViewOptions& options, const std::vector<NamedStats>& streams,
                    const std::string& reason, const std::optional<AlignmentStats>& alignment = std::nullopt);

}  // namespace verbcast
