// Options common to all commands that send.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/stream_options.h"
#include "app/host/pacer.h"
#include "capture/picture_memory.h"
#include "core/stream/broadcast.h"
#include "core/video/change_finder.h"

namespace verbcast {

/// Options common to all commands that send.
struct SendingOptions : StreamOptions, StreamPeer {
    Pacing pacing = Pacing::Source;
    Rational rate{0, 1};           ///< Pacing::Rate
    std::optional<Policy> policy;  ///< nullopt: live sources Latest, files Lossless
    ChangesFrom changes = ChangesFrom::Auto;
    std::string name;               ///< of the stream; empty: the host's
    bool allowInput = false;        ///< viewers may control the source
    SyncMode sync = SyncMode::Off;  ///< whether windows show together
    std::uint32_t maxViewers = 16;
    std::optional<MulticastOptions> multicast;
    PictureMemory memory = PictureMemory::Host;  ///< where the ring is; DmaBuf: only render
    std::string whyHost;                         ///< Auto that came out as Host: what needs the processor
    std::optional<Url> preview;                  ///< one viewer on this machine may watch there
    int statsDescriptor = -1;                    ///< statistics go there each second; -1: nowhere
    bool control = false;                        ///< standard input controls the source; see PlaybackControl
};

/// PictureMemory::Auto becomes Host where what was asked for needs the processor. Call when all else is
/// known.
void settleMemory(SendingOptions& options);
/// With PictureMemory::Auto: Host, for that reason.
void keepInHost(SendingOptions& options, const std::string& reason);

/// Sender options from these options.
SenderOptions senderOptions(const SendingOptions& options, Policy policy);

}  // namespace verbcast
