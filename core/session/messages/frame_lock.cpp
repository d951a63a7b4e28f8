#include "core/session/messages/frame_lock.h"

#include "core/base/error.h"

namespace verbcast {

std::string_view nameOf(SyncMode mode) {
    return mode == SyncMode::Hold ? "hold" : mode == SyncMode::Go ? "go" : "off";
}

std::string_view nameOf(ShownBy by) {
    return by == ShownBy::Display ? "the display"
           : by == ShownBy::Swap  ? "the swap (not told by the display)"
                                  : "the timer (no screen)";
}

std::string_view nameOf(ClockBy by) {
    return by == ClockBy::SameHost  ? "the same host's"
           : by == ClockBy::Session ? "the session's estimate"
           : by == ClockBy::Ptp     ? "PTP"
                                    : "not known";
}

void FramePresented::check() const {
    if (by > ShownBy::Display) {
        throw peerError("the peer reported in an unknown way when it showed a frame");
    }
}

void FrameLockNews::check() const {
    requireTimes({all.delayMs, all.smallestDelayMs, all.longestDelayMs, all.skew.p50, all.skew.p99,
                  all.skew.p999, all.skew.max, all.clockErrorUs},
                 "the peer reported a display's time that is not a number");
}

}  // namespace verbcast
