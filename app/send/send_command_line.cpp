#include "app/send/send_command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "app/cli/gpu_option.h"
#include "app/cli/option_values.h"
#include "app/send/decoder_name.h"
#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxSentStreams = 64;

}  // namespace

SendCommandLine::SendCommandLine(CLI::App& app)
    : SendingCommandLine(app, "send", "Send a file, a pattern, a camera, a screen or standard input") {
    command().footer(
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast send clip.mp4\n  verbcast send pattern:zone --size 3840x2160 --fps 60 --to "
        "verbs://wall:7423\n  verbcast send v4l2:/dev/video0 v4l2:/dev/video2 --name left --name right\n  "
        "ffmpeg -i clip.mp4 -f nut -c:v rawvideo - | verbcast send -\n" +
        kFramesHelp + kExitCodeHelp);
    command()
        .add_option(
            "SOURCE", options_.sources,
            "A media file, pattern[:bars|gradient|noise|zone|counter], a camera (v4l2[:/dev/videoN]), "
            "screen[:monitor=NAME|window=ID|rect=WxH+X+Y|x11|portal], or - for standard input: NUT, y4m and "
            "other formats with a header, or raw frames with --size and --format. Several: one stream from "
            "each, on successive ports from that of --listen, or all to --to")
        ->required()
        ->type_name("");
    addViewers(options_);
    command()
        .add_option("--name", options_.names,
                    "Name of the stream, as viewers see it (default: the host's); with several sources, once "
                    "per source")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("NAME");
    command().add_flag("--stereo", options_.stereo,
                       "Two sources, the left eye's and the right eye's, are one stream: each right picture\n"
                       "goes with a left one (verbcast view --stereo)");
    command()
        .add_option("--format", format_,
                    "Pixel format to send (see verbcast formats; default: the source's own)")
        ->type_name("NAME");
    command().add_option("--size", size_, "Size to send")->type_name("WxH");
    addFps("Frames per second, 'source', or 'max' for as fast as possible", "N|source|max", "source");
    command().add_flag("--loop", options_.loop, "Repeat the file");
    command()
        .add_option("--start", start_, "Begin a file there: seconds or [hours:]minutes:seconds (also -ss)")
        ->type_name("TIME");
    command().add_option("-t,--length", length_, "Send only this much of a file")->type_name("TIME");
    addPolicy(
        "latest: drop frames that a viewer is too slow for (default for patterns, cameras, screens);\n"
        "lossless: wait for the slowest viewer (default for files and stdin)");
    addChanges();
    command().add_flag("--allow-input", options_.allowInput,
                       "Let viewers use the keyboard and mouse of this screen");
    command()
        .add_option("--video-track", options_.videoTrack, "Of a file that holds several: 1, 2, ...")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    command()
        .add_option("--input-format", options_.inputFormat,
                    "Read a file as this format of FFmpeg's (default: detected). Lists of other files or\n"
                    "addresses (hls, dash, concat, sdp) are followed only if they are named here")
        ->type_name("NAME");
    command()
        .add_option("--threads", options_.decoderThreads, "Decoder threads (default: one per processor)")
        ->type_name("N");
    command()
        .add_option(
            "--camera-memory", cameraMemory_,
            "Where a camera's pictures lie: ring (the device writes into the stream's ring), dmabuf (in "
            "its driver's memory, which viewers on this machine read there), copy (copied into the "
            "ring); auto: the first of these that the driver supports")
        ->capture_default_str()
        ->check(CLI::IsMember({"auto", "ring", "dmabuf", "copy"}));
    command()
        .add_option(
            "--screen-memory", screenMemory_,
            "Where a Wayland desktop's pictures lie: dmabuf (in its graphics card's memory, which viewers on "
            "this machine read there), copy (copied into the ring); auto: the same as copy")
        ->capture_default_str()
        ->check(CLI::IsMember({"auto", "dmabuf", "copy"}));
    command()
        .add_option("--decoder", decoder_,
                    "What decodes files: auto (hardware where it decodes the file, else the processors),\n"
                    "software, vaapi, cuda, vulkan; verbcast devices lists what this machine has")
        ->capture_default_str()
        ->type_name("NAME");
    addMemory({"auto", "host", "device"},
              "Where frames are kept: host, in main memory; device, in the memory of the NVIDIA GPU that\n"
              "decodes them, from where RDMA devices send them and viewers on that GPU show them;\n"
              "auto: device, unless an option needs the processor");
    addGpu(command());
    addWatch();
    command().add_flag(
        "--control", options_.control,
        "Control a file by lines on standard input: pause, play, seek SECONDS, step 1, step -1; of several\n"
        "sources all files, or with a number before it one of them: 2 pause");
    addRest(options_);
}

SendOptions SendCommandLine::finish() const {
    SendOptions options = options_;
    SendingCommandLine::finish(options);
    if (!format_.empty()) {
        options.pixelFormat = parsePixelFormat(format_);
    }
    if (!size_.empty()) {
        std::uint32_t width = 0;
        std::uint32_t height = 0;
        parseSize(size_, width, height);
        options.width = width;
        options.height = height;
    }
    if (!start_.empty()) {
        options.start = parseTime("--start", start_);
    }
    if (!length_.empty()) {
        options.length = parseTime("--length", length_);
    }
    options.cameraMemory = cameraMemory_ == "ring"     ? CameraMemoryChoice::Ring
                           : cameraMemory_ == "dmabuf" ? CameraMemoryChoice::DmaBuf
                           : cameraMemory_ == "copy"   ? CameraMemoryChoice::Copy
                                                       : CameraMemoryChoice::Best;
    options.screenMemory = screenMemory_ == "dmabuf" ? ScreenMemoryChoice::DmaBuf
                           : screenMemory_ == "copy" ? ScreenMemoryChoice::Copy
                                                     : ScreenMemoryChoice::Best;
    options.decoder = parseDecoder(decoder_);
    finishMemory(options);
    checkSeveral(options);
    if (options.control && std::ranges::count(options.sources, "-") > 0) {
        throw Error(ErrorKind::Usage, "--control reads standard input, and so does the source -",
                    "name a file");
    }
    if (options.decoderThreads < 0 || options.decoderThreads > 64) {
        throw Error(ErrorKind::Usage, fmt::format("--threads {}: 0 to 64 expected", options.decoderThreads));
    }
    settleMemory(options);
    return options;
}

void SendCommandLine::finishMemory(SendOptions& options) const {
    const bool inDevice = options.memory == PictureMemory::Device;
    if (inDevice && options.decoder != Decoder::Auto && options.decoder != Decoder::Cuda) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--memory device with --decoder {}: cuda expected", decoder_),
                    "leave one of the two out");
    }
    for (const auto& [option, given] : {std::pair{"--format", options.pixelFormat.has_value()},
                                        std::pair{"--size", options.width.has_value()}}) {
        if (given && inDevice) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{} with --memory device: the processor converts pictures", option),
                        "leave one of the two out");
        }
        if (given) {
            keepInHost(options, fmt::format("the processor converts pictures ({})", option));
        }
    }
    if (inDevice) {
        options.decoder = Decoder::Cuda;
    }
}

void SendCommandLine::checkStereo(const SendOptions& options) const {
    if (options.sources.size() != 2) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--stereo: {} given, two expected: the left eye's and the right eye's",
                                counted(options.sources.size(), "source")),
                    "verbcast send --stereo LEFT RIGHT");
    }
    if (options.names.size() > 1) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--name: {} names given for a stereo pair, which is one stream",
                                options.names.size()),
                    "give one");
    }
    for (const auto& [given, option] :
         {std::pair{options.preview.has_value(), "--preview"},
          std::pair{options.multicast.has_value(), "--multicast"}, std::pair{options.control, "--control"},
          std::pair{options.allowInput, "--allow-input"}}) {
        if (given) {
            throw Error(ErrorKind::Usage, fmt::format("{} with --stereo: it is for one picture", option),
                        fmt::format("leave {} out, or start a sender for each eye", option));
        }
    }
}

void SendCommandLine::checkSeveral(const SendOptions& options) const {
    const std::size_t count = options.sources.size();
    if (count > kMaxSentStreams) {
        throw Error(ErrorKind::Usage,
                    fmt::format("verbcast send: {} given, at most {} expected", counted(count, "source"),
                                kMaxSentStreams),
                    "start a second sender for the rest");
    }
    if (options.stereo) {
        checkStereo(options);
        return;
    }
    if (!options.names.empty() && options.names.size() != count) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--name: {} given for {}", counted(options.names.size(), "name"),
                                counted(count, "source")),
                    "give one for each source, in the same order: --name left --name right");
    }
    if (count == 1) {
        return;
    }
    if (std::ranges::count(options.sources, "-") > 1) {
        throw Error(ErrorKind::Usage, "standard input is one source: - is given more than once",
                    "name files or pipes");
    }
    for (const auto& [given, option] : {std::pair{options.preview.has_value(), "--preview"},
                                        std::pair{options.multicast.has_value(), "--multicast"}}) {
        if (given) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{} with {} sources: it is for one stream", option, count),
                        fmt::format("leave {} out, or start a sender for each source", option));
        }
    }
    if (!options.frameMd5.empty() && options.frameMd5.find(kStreamMark) == std::string::npos) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--frame-md5 {}: {} streams need a file each: %n, for a stream's number, expected "
                        "in the name",
                        options.frameMd5, count),
            "for example --frame-md5 md5-%n");
    }
    const bool ascending = options.listen && !options.url.isName() && options.url.port != 0;
    if (ascending && options.url.port + count - 1 > UINT16_MAX) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--listen {}: {} streams need as many ports from {} on, and the last one is {}",
                        options.url.text(), count, options.url.port, UINT16_MAX),
            "give a lower port");
    }
}

}  // namespace verbcast
