// Options of the commands that send and view streams.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/options/option_list.h"
#include "app/cli/trust/trust_choice.h"
#include "app/cli/verbosity.h"
#include "core/session/session_address.h"
#include "core/stats/numa_stats.h"
#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "core/transport/url.h"

namespace verbcast {

class SharedSession;

/// A peer of a stream: its address and how to connect to it.
struct StreamPeer : SessionAddress {
    TrackId track = kMainTrack;
    std::shared_ptr<SharedSession> session{};  ///< that several tracks share; null: a session of its own
};

/// Value of --numa.
struct NumaChoice {
    std::string text = "auto";  ///< "auto", "off" or a number
    std::optional<int> node{};  ///< the number, if one was given
};

/// Options common to all commands that send and view streams, beside those of the session itself.
struct StreamOptions {
    TrustChoice trustChoice{};  ///< the peers' trust was made from it: each address may have its own key
    std::optional<std::uint64_t> frames{};               ///< end after that many frames
    std::optional<std::chrono::nanoseconds> duration{};  ///< end that long after the first frame
    std::optional<std::chrono::nanoseconds> patience{};  ///< end if no peer has come by then
    std::string statsJson{};
    std::string frameMd5{};
    Verbosity verbosity = Verbosity::Normal;
    NumaChoice numaChoice{};
    NumaStats numa{};  ///< the result: see takePlace()
};

/// Adds --wait, for every command that has a peer.
void addWait(OptionList& options, std::optional<std::chrono::nanoseconds>& patience);
/// Adds --timeout. `variable`: environment variable with its default.
void addTimeout(OptionList& options, std::chrono::milliseconds& timeout, const char* variable = "");

/// Adds --gpu, which sets VERBCAST_GPU.
void addGpu(OptionList& options);
/// Adds --stats-json.
void addStatsJson(OptionList& options, std::string& file);

/// Of both ends: how long, how fast, what is reported.
void addSession(OptionList& list, StreamOptions& options, LinkOptions& link, std::uint32_t& slots);

/// Options for receiving from that peer, where `like` says the rest.
ReceiverOptions receiverOptions(const ReceiverOptions& like, const StreamPeer& peer);
/// The same for a command that sends what it receives.
ReceiverOptions receiverOptions(const SenderOptions& like, const StreamPeer& peer);

}  // namespace verbcast
