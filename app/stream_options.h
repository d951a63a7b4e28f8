// What the commands that send and view streams were asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "app/trust_choice.h"
#include "capture/container_names.h"
#include "core/session/trust.h"
#include "core/stream/frame_receiver.h"
#include "core/stream/sender_link.h"
#include "core/transport/url.h"
#include "core/video/video_format.h"

namespace verbcast {

enum class Verbosity { Quiet, Normal, Verbose };

/// What both `send` and `view` understand.
struct StreamOptions {
    Url url;
    bool listen = false;
    Trust trust{};              ///< of the peer
    TrustChoice trustChoice{};  ///< what `trust` was made of: another address may have another key
    bool once = false;          ///< end with the stream or when the peer is lost
    bool poll = false;
    std::uint32_t slots = 8;
    std::optional<std::uint64_t> maxMemory;            ///< bytes for what is received; see RingMemory
    std::optional<std::uint64_t> frames;               ///< end after so many frames
    std::optional<std::chrono::nanoseconds> duration;  ///< end so long after the first frame
    std::string statsJson;
    std::string frameMd5;
    Verbosity verbosity = Verbosity::Normal;
};

enum class Pacing {
    Source,  ///< as the source's time stamps say
    Rate,    ///< so many frames a second
    Max,     ///< as fast as the source and the receivers can
};

/// What every command that sends understands.
struct SendingOptions : StreamOptions {
    Pacing pacing = Pacing::Source;
    Rational rate{0, 1};           ///< Pacing::Rate
    std::optional<Policy> policy;  ///< nothing: live sources Latest, files Lossless
    bool allowInput = false;       ///< viewers may steer the source
    std::uint32_t maxViewers = 16;
    std::optional<Url> preview;  ///< one viewer of this machine may watch there
    int statsDescriptor = -1;    ///< figures go there each second; -1: nowhere
};

/// `verbcast send`
struct SendOptions : SendingOptions {
    std::string source;
    std::optional<PixelFormat> pixelFormat;
    std::optional<std::uint32_t> width, height;
    bool loop = false;
    int decoderThreads = 0;
};

/// `verbcast render`
struct RenderOptions : SendingOptions {
    std::string scene;  ///< a name of kSceneNames
    std::uint32_t width = 1920, height = 1080;
};

/// `verbcast relay`
struct RelayOptions : SendingOptions {
    Url from;
    bool acceptSender = false;  ///< listen there for a sender instead of connecting to one
};

/// `verbcast view`
struct ViewOptions : StreamOptions {
    bool headless = false;  ///< also with an output
    std::string output;     ///< file to write the frames to; "-": standard output
    Container container = Container::Nut;
    bool fullscreen = false;
    bool input = false;  ///< keys and mouse go to the sender from the start
    bool kiosk = false;
    std::string screen;    ///< kiosk: number or name of a monitor; the first when empty
    std::string still;     ///< kiosk: picture shown without a signal; black when empty
    std::string snapshot;  ///< PNG of the last frame shown, written at the end (with --frames 1: the first)
    std::string upload = "auto";  ///< auto, direct, pbo
};

/// What the session needs of them. A window goes on after the stream's end; without one that is the end.
ReceiverOptions receiverOptions(const ViewOptions& options);

}  // namespace verbcast
