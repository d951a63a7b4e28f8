// Parses what a sender writes to its --stats-fd.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/trust/trust.h"

namespace verbcast {

struct SenderStats {
    struct Receiver {
        std::string name, peer, transport;
        Protection protection = Protection::None;
        std::uint64_t sent = 0, dropped = 0, skipped = 0;
        std::optional<double> latencyP50, latencyP99;  ///< microseconds; nullopt: too few frames
    };

    double framesPerSecond = 0, gigabytesPerSecond = 0;
    std::uint64_t frames = 0;                ///< frames sent, each counted once
    std::uint64_t dropped = 0, bytes = 0;    ///< summed over the viewers
    bool needsPairing = false;               ///< the viewer it called serves paired hosts only
    std::string decoder{}, decoderReason{};  ///< of decoded sources: "vaapi", and why it was chosen
    std::vector<Receiver> receivers{};
};

/// The pairing code to type at another host; nullopt: no code is valid any more.
struct PairingNews {
    std::optional<PairingInvitation> invitation;
};

/// Playback position of a sender with --control, in seconds.
struct PlaybackNews {
    double position = 0;
    std::optional<double> duration;
    bool paused = false;
};

/// Return nullopt if the line holds none.
std::optional<SenderStats> senderStatsFromLine(std::string_view line);
std::optional<PairingNews> pairingNews(std::string_view line);
std::optional<PlaybackNews> playbackNews(std::string_view line);

}  // namespace verbcast
