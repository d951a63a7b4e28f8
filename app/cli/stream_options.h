// Options of the commands that send and view streams.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/trust/trust_choice.h"
#include "core/session/trust/trust.h"
#include "core/stats/numa_stats.h"
#include "core/stream/frame_receiver.h"
#include "core/transport/url.h"

namespace verbcast {

class SharedSession;

enum class Verbosity { Quiet, Normal, Verbose };

/// A peer's address, or where to wait for it.
struct PeerAddress {
    Url url;
    bool listen = false;
    std::vector<Url> spares{};  ///< its other rails
};

/// A peer of a stream: its address and how to connect to it.
struct StreamPeer {
    Url url;
    bool listen = false;
    Trust trust{};
    std::vector<Url> spares{};  ///< its other rails, of which `url` is the first
    RailMode rails = RailMode::Double;
    bool findsRails = false;  ///< search for its other addresses
    TrackId track = kMainTrack;
    std::shared_ptr<SharedSession> session{};  ///< that several tracks share; null: a session of its own
};

/// Value of --numa.
struct NumaChoice {
    std::string text = "auto";  ///< "auto", "off" or a number
    std::optional<int> node{};  ///< the number, if one was given
};

/// Options common to `send` and `view`.
struct StreamOptions {
    TrustChoice trustChoice{};  ///< the peers' trust was made from it: each address may have its own key
    bool once = false;          ///< end with the stream, or when the peer is lost
    bool poll = false;
    std::uint32_t slots = 8;
    std::optional<std::uint64_t> maxMemory;            ///< limit for received frames in bytes; see RingMemory
    std::optional<std::uint64_t> frames;               ///< end after that many frames
    std::optional<std::chrono::nanoseconds> duration;  ///< end that long after the first frame
    std::optional<std::chrono::nanoseconds> patience;  ///< end if no peer has come by then
    std::chrono::milliseconds peerTimeout{900};        ///< silence after which a peer counts as lost
    std::string statsJson;
    std::string frameMd5;
    Verbosity verbosity = Verbosity::Normal;
    NumaChoice numaChoice{};
    NumaStats numa{};  ///< the result: see takePlace()
};

/// Receiver options for a session with that peer.
ReceiverOptions receiverOptions(const StreamOptions& options, const StreamPeer& peer);

}  // namespace verbcast
