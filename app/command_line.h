// The command line as values. Both programs parse it with the same code: verbcast runs everything without a
// window and replaces itself by verbcast-window for the rest.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <variant>

#include "app/bench/bench_options.h"
#include "app/copy/copy_options.h"
#include "app/doctor/doctor.h"
#include "app/pipe/pipe_options.h"
#include "app/pipe/run/pipeline_options.h"
#include "app/run_command.h"
#include "capture/container_names.h"
#include "core/session/frame_receiver.h"
#include "core/session/sender_link.h"
#include "core/transport/url.h"
#include "core/video/video_format.h"

namespace verbcast {

enum class Verbosity { Quiet, Normal, Verbose };

/// What both `send` and `view` understand.
struct StreamOptions {
    Url url;
    bool listen = false;
    bool once = false;  ///< end with the stream or when the peer is lost
    bool poll = false;
    std::uint32_t slots = 8;
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
    std::optional<Url> preview;    ///< one viewer of this machine may watch there
    int statsDescriptor = -1;      ///< figures go there each second; -1: nowhere
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

/// `verbcast FILE.verbcast` is `verbcast --session FILE.verbcast`.
inline constexpr std::string_view kSessionSuffix = ".verbcast";

/// `verbcast` alone: the window to send and to view from.
struct MainWindowOptions {
    std::string session;  ///< file with the settings to begin with; the last ones when empty
};

struct FormatsOptions {};
struct DevicesOptions {};
/// --help, --version and their like: the text is printed and the program ends.
struct PrintText {
    std::string text;
};

using Command = std::variant<SendOptions, RenderOptions, RelayOptions, ViewOptions, BenchOptions,
                             CompareOptions, WorkerOptions, DoctorOptions, RunOptions, PipeOptions,
                             PipelineOptions, StageOptions, CopyOptions, CopyReceiveOptions,
                             MainWindowOptions, FormatsOptions, DevicesOptions, PrintText>;

/// Throws Error{Usage} for what does not parse or does not fit together. `version` is called for --version.
Command parseCommandLine(int argc, const char* const* argv, std::string (*version)());

/// Where a session that listens or connects meets its peer, of an address to connect to (--to, URL) and the
/// value of --listen. Throws Error{Usage} when both are given, or for an address that is none.
Url meetingPlace(const std::string& peer, bool listenGiven, const std::string& listenAt, bool listens);
/// "3840x2160". Throws Error{Usage}.
void parseSize(const std::string& text, std::uint32_t& width, std::uint32_t& height);
/// The value of --transport: the name of one of `allowed`. `expected` says what they are.
Scheme parseTransport(const std::string& text, std::initializer_list<Scheme> allowed, const char* expected);
/// A name of `verbcast formats`. Throws Error{Usage}.
PixelFormat parsePixelFormat(const std::string& text);
/// "2.5". Throws Error{Usage}.
std::chrono::nanoseconds parseSeconds(const std::string& text);
/// "60", "59.94", "60000/1001". Throws Error{Usage}.
Rational parseRate(const std::string& text);

}  // namespace verbcast
