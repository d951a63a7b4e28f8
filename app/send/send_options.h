// Options of the commands that send.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/stream_options.h"
#include "app/host/pacer.h"
#include "app/wall/wall.h"
#include "capture/decoders.h"
#include "capture/frame_source.h"
#include "core/stream/broadcast.h"
#include "core/video/change_finder.h"
#include "core/video/video_format.h"

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
    bool inGpuMemory = false;    ///< render, run: the ring is in the memory of the GPU that draws
    std::optional<Url> preview;  ///< one viewer on this machine may watch there
    int statsDescriptor = -1;    ///< statistics go there each second; -1: nowhere
    bool control = false;        ///< standard input controls the source; see PlaybackControl
};

/// Sender options from these options.
SenderOptions senderOptions(const SendingOptions& options, Policy policy);

/// Options of `verbcast send`.
struct SendOptions : SendingOptions {
    std::vector<std::string> sources;  ///< at least one; a stream for each
    std::vector<std::string> names;    ///< of the streams, as viewers see them; none, or one per stream
    std::optional<PixelFormat> pixelFormat;
    std::optional<std::uint32_t> width, height;
    bool loop = false;
    std::chrono::nanoseconds start{0};               ///< start position in a file
    std::optional<std::chrono::nanoseconds> length;  ///< how much of it to send
    int decoderThreads = 0;
    CameraMemoryChoice cameraMemory = CameraMemoryChoice::Best;
    Decoder decoder = Decoder::Auto;
};

/// Options of `verbcast render`.
struct RenderOptions : SendingOptions {
    std::string scene;  ///< a name of kSceneNames
    std::uint32_t width = 1920, height = 1080;
    /// For a wall: `place` is the source's part of the canvas; width and height are the source's.
    std::optional<Wall> wall;
    FrameRect place{};
    /// Draws only this share of the scene, with depths: number (from 1) and count.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> part;
    std::string eye;  ///< draw for that eye: left, right; empty: one picture for both
};

/// How to merge parts into one picture: see --by.
enum class MergeBy {
    Depth,  ///< each pixel from the nearest part
    Order,  ///< one behind the other, the first in front, by alpha
};

/// Options of `verbcast compose`.
struct ComposeOptions : SendingOptions {
    std::vector<StreamPeer> parts;  ///< senders; at least two
    MergeBy by = MergeBy::Depth;
    bool keepDepth = false;  ///< also send the depths of the merged picture
};

/// Options of `verbcast relay`.
struct RelayOptions : SendingOptions {
    StreamPeer from;
};

}  // namespace verbcast
