// The one table of what links do besides moving frames.
#pragma once

#include "core/stream/receive/receiver_link.h"
#include "core/stream/send/viewer.h"
#include "core/sync/locked_display.h"
#include "core/sync/presenting_stream.h"

namespace verbcast {

/// What a sender's features use besides its link; null: it does without.
struct SourceFeatures {
    InputQueue* input = nullptr;     ///< takes viewers' input
    FrameLock* frameLock = nullptr;  ///< displays show frames together
};
/// Call before the link runs. All must outlive it.
void plugIn(SenderLink& link, const SourceFeatures& with);

/// The same for a receiver.
struct SinkFeatures {
    DisplaySessions* display = nullptr;  ///< shows frames when the sender says so
};
void plugIn(ReceiverLink& link, const SinkFeatures& with);

}  // namespace verbcast
