// What the commands that send and view streams were asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/trust_choice.h"
#include "core/session/trust/trust.h"
#include "core/stream/frame_receiver.h"
#include "core/transport/url.h"

namespace verbcast {

enum class Verbosity { Quiet, Normal, Verbose };

/// Where a peer is, or where to wait for one.
struct PeerAddress {
    Url url;
    bool listen = false;
    std::vector<Url> spares{};  ///< its other rails
};

/// A peer of a stream: where it is, and the terms on which they meet.
struct StreamPeer {
    Url url;
    bool listen = false;
    Trust trust{};
    std::vector<Url> spares{};  ///< its other rails, of which `url` is the first
    RailMode rails = RailMode::Double;
    bool findsRails = false;  ///< its other addresses are looked for
};

/// What both `send` and `view` understand.
struct StreamOptions {
    TrustChoice trustChoice{};  ///< the trust of peers was made from it: each address may have another key
    bool once = false;          ///< end with the stream or when the peer is lost
    bool poll = false;
    std::uint32_t slots = 8;
    std::optional<std::uint64_t> maxMemory;  ///< bytes that received frames may take; see RingMemory
    std::optional<std::uint64_t> frames;     ///< end after so many frames
    std::optional<std::chrono::nanoseconds> duration;  ///< end so long after the first frame
    std::optional<std::chrono::nanoseconds> patience;  ///< end when the first peer has not come by then
    std::string statsJson;
    std::string frameMd5;
    Verbosity verbosity = Verbosity::Normal;
};

/// Those that a receiver's session with that peer needs.
ReceiverOptions receiverOptions(const StreamOptions& options, const StreamPeer& peer);

}  // namespace verbcast
