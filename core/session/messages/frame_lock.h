// What a sender and its displays tell each other to show frames at the same time: see PresentationGroup and
// TimedDisplay.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "core/base/os/clock.h"
#include "core/base/text/clean_text.h"
#include "core/session/messages/messages.h"
#include "core/stats/frame_lock_stats.h"

namespace verbcast {

/// Whether, and how, displays wait for one that is late.
enum class SyncMode : std::uint8_t {
    Off = 0,
    Hold = 1,  ///< all of them hold the last picture
    Go = 2,    ///< the others go on without it
};
/// "off", "hold" or "go".
std::string_view nameOf(SyncMode mode);

/// The track whose frames are shown so.
inline constexpr TrackId kFrameLockTrack = 0;

/// Hello::features of a sender: it tells displays when to show. Of a viewer: it shows when told, if the
/// sender tells it.
inline constexpr std::uint64_t kFrameLock = 256;
/// Hello::features of such a sender: all displays hold when one is late.
inline constexpr std::uint64_t kFrameLockHolds = 512;

/// For a viewer, from a sender's greeting.
inline SyncMode syncModeOf(std::uint64_t features) {
    return (features & kFrameLock) == 0        ? SyncMode::Off
           : (features & kFrameLockHolds) != 0 ? SyncMode::Hold
                                               : SyncMode::Go;
}
/// For a sender's own greeting.
inline std::uint64_t featuresOf(SyncMode mode) {
    return mode == SyncMode::Off ? 0 : mode == SyncMode::Hold ? kFrameLock | kFrameLockHolds : kFrameLock;
}

/// A time to present further ahead than this is invalid.
inline constexpr TimestampNs kMaxPresentAhead = 5'000'000'000;

/// What tells when a frame was shown.
enum class ShownBy : std::uint8_t {
    Timer = 0,    ///< no screen: when it would have been shown
    Swap = 1,     ///< the display does not tell: when the swap had completed
    Display = 2,  ///< the display itself
};
std::string_view nameOf(ShownBy by);

/// What relates the clocks of sender and display.
enum class ClockBy : std::uint8_t {
    Unknown = 0,
    SameHost = 1,
    Session = 2,  ///< the session's own estimate
    Ptp = 3,      ///< linuxptp keeps both hosts' clocks
};
std::string_view nameOf(ClockBy by);

/// Display: this frame is drawn. Sequences rise.
struct FrameReady {
    static constexpr MessageType kType = MessageType::FrameReady;
    std::uint64_t sequence = 0;
    static void fields(auto& self, auto& visit) { visit(self.sequence); }
};

/// Sender: show this frame at its time, and no earlier one any more.
struct PresentFrame {
    static constexpr MessageType kType = MessageType::PresentFrame;
    std::uint64_t sequence = 0;
    TimestampNs due = 0;  ///< sender's clock; 0: follows once all are ready
    static void fields(auto& self, auto& visit) { visit(self.sequence, self.due); }
};

/// Display: this frame was shown. Sequences rise.
struct FramePresented {
    static constexpr MessageType kType = MessageType::FramePresented;
    std::uint64_t sequence = 0;
    TimestampNs shownAt = 0;  ///< display's clock, like the next two
    TimestampNs due = 0;      ///< when it was to be shown
    TimestampNs couldAt = 0;  ///< when it was ready and its time known
    ShownBy by = ShownBy::Timer;
    TimestampNs wallOffset = 0;  ///< of the display's host; see KeptClock. 0: its clock is not kept
    static void fields(auto& self, auto& visit) {
        visit(self.sequence, self.shownAt, self.due, self.couldAt, self.by, self.wallOffset);
    }
    /// Throws Error{Peer} for an unknown ShownBy.
    void check() const;
};

/// Sender, at the start and once a second: how all displays are doing.
struct FrameLockNews {
    static constexpr MessageType kType = MessageType::FrameLockNews;
    TimestampNs wallOffset = 0;  ///< of the sender's host; see KeptClock. 0: its clock is not kept
    FrameLockStats all;          ///< of each display, nothing is sent
    template <typename Self, typename Visit>
    static void fields(Self& self, Visit& visit) {
        visit(self.wallOffset, self.all.displays, self.all.delayMs, self.all.smallestDelayMs,
              self.all.longestDelayMs, self.all.frames, self.all.framesHeld, self.all.framesWithout,
              self.all.skew.count, self.all.skew.p50, self.all.skew.p99, self.all.skew.p999,
              self.all.skew.max, self.all.clockErrorUs, self.all.late);
        if constexpr (!std::is_const_v<Self>) {
            self.all.late = cleanText(self.all.late);
        }
    }
    /// Throws Error{Peer} if a time is not a number.
    void check() const;
};

}  // namespace verbcast
