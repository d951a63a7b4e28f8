#include "core/session/messages/frame_lock.h"

#include "core/base/error.h"

namespace verbcast {

std::string_view nameOf(SyncMode mode) {
    return mode == SyncMode::Hold ? "hold" : mode == SyncMode::Go ? "go" : "off";
}

std::string_view nameOf(ShownBy by) {
    switch (by) {
        case ShownBy::Display:
            return "the display";
        case ShownBy::Swap:
            return "the swap (not told by the display)";
        case ShownBy::Timer:
            break;
    }
    return "the timer (no screen)";
}

std::string_view nameOf(ClockBy by) {
    switch (by) {
        case ClockBy::SameHost:
            return "the same host's";
        case ClockBy::Session:
            return "the session's estimate";
        case ClockBy::Ptp:
            return "PTP";
        case ClockBy::Unknown:
            break;
    }
    return "not known";
}

void FramePresented::check() const {
    if (by > ShownBy::Display) {
        throw Error(ErrorKind::Peer, "the peer reported in an unknown way when it showed a frame");
    }
}

void FrameLockNews::check() const {
    for (const double value : {all.delayMs, all.smallestDelayMs, all.longestDelayMs, all.skew.p50,
                               all.skew.p99, all.skew.p999, all.skew.max, all.clockErrorUs}) {
        if (!(value >= 0 && value < 1e15)) {
            throw Error(ErrorKind::Peer, "the peer reported a display's time that is not a number");
        }
    }
}

}  // namespace verbcast
