#include "app/commands/send/send_command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "app/cli/stream_options.h"
#include "capture/pattern/pattern_names.h"
#include "capture/source_schemes.h"
#include "core/base/error.h"
#include "core/base/text/counted.h"
#include "core/base/text/names_in.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxSentStreams = 64;

/// For completion.
std::vector<std::string> sourceWords() {
    std::vector<std::string> words = namesIn(kSourceSchemes, &SourceScheme::name);
    for (const PatternName& pattern : kPatternNames) {
        words.push_back(fmt::format("pattern:{}", pattern.name));
    }
    words.emplace_back(kSoundSource);
    return words;
}

std::string sourceHelp() {
    std::string help = "A media file";
    for (const SourceScheme& scheme : kSourceSchemes) {
        help += fmt::format(", {}", scheme.help);
    }
    return help +
           ", sound (what --audio says, without pictures), or - for standard input: NUT, y4m and other "
           "formats with a header, or raw frames with --size "
           "and "
           "--format. Several: one stream from each, on successive ports from that of --listen, or all to "
           "--to";
}

Value<std::uint32_t> audioTrackValue() {
    Value<std::uint32_t> value = numberValue(1U, UINT32_MAX);
    value.parse = [number = value.parse](const std::string& name, const std::string& text) {
        return text == "all" ? std::uint32_t{0} : number(name, text);
    };
    value.text = [](std::uint32_t track) { return track == 0 ? "all" : std::to_string(track); };
    return value;
}

bool hasItsOwnMemory(const std::string& source) {
    const SourceScheme* const scheme = sourceSchemeOf(source);
    return scheme != nullptr && scheme->device;
}

}  // namespace

SendCommandLine::SendCommandLine(Command& verbcast)
    : SendingCommandLine(verbcast, "send",
                         "Send files, patterns, cameras, screens, sound or standard input") {
    command().remarks.examples =
        "verbcast send clip.mp4\n"
        "verbcast send pattern:zone --size 3840x2160 --fps 60 --to verbs://wall:7423\n"
        "verbcast send song.flac\n"
        "verbcast send sound --audio default\n"
        "verbcast send v4l2:/dev/video0 v4l2:/dev/video2 --name left --name right\n"
        "ffmpeg -i clip.mp4 -f nut -c:v rawvideo - | verbcast send -";
    command().formerly.emplace_back("--camera-memory", "--memory (host, where it was ring; dmabuf; copy)");
    command().formerly.emplace_back("--screen-memory", "--memory (dmabuf, copy)");
    list().add(argument(section::kSource, "SOURCE", sourceHelp()).file().needed().known(sourceWords()),
               options_.sources);
    addSource();
    addPicture();
    addPeers();
    addSending(list(), options_);
    addPreview(list(), options_.sender);
    addDelivery();
    addGpu(list());
    addSession(list(), options_, options_.sender, options_.sender.slots);
    addRest(options_);
}

void SendCommandLine::addSource() {
    list().add(flag(section::kSource, "--loop", "Repeat the file"), options_.source.loop);
    list().add(option(section::kSource, "--start", "TIME",
                      "Begin a file there: seconds or [hours:]minutes:seconds (also -ss)"),
               options_.source.start, timeValue());
    list().add(option(section::kSource, "-t,--length", "TIME", "Send only this much of a file"),
               options_.source.length, timeValue());
    list().add(
        seldomOption(section::kSource, "--video-track", "N", "Of a file that holds several: 1, 2, ..."),
        options_.source.videoTrack, numberValue(1U, UINT32_MAX));
    list().add(
        option(section::kSource, "--audio", "auto|none|tone|DEVICE",
               "Sound beside the pictures, or without. auto: a file's or pipe's own, with a screen what "
               "this machine plays, with pattern:flash a tone; default, monitor (what is played) or the "
               "name of a device (verbcast devices)"),
        options_.audio);
    list().add(
        seldomOption(section::kSource, "--audio-track", "N|all",
                     "Of a file that holds several: 1, 2, ..., or all as one, with all their channels"),
        options_.audioTrack, audioTrackValue());
    list().add(
        seldomOption(section::kSource, "--input-format", "NAME",
                     "Read a file as this format of FFmpeg's (default: detected). Lists of other files or "
                     "addresses (hls, dash, concat, sdp) are followed only if they are named here"),
        options_.source.inputFormat);
    list().add(
        seldomOption(section::kSource, "--decoder", "NAME",
                     "What decodes files: auto (hardware where it decodes the file, else the processors), "
                     "software, vaapi, cuda, vulkan; verbcast devices lists what this machine has"),
        options_.source.decoder, choiceValue(kDecoderNames, &DecoderName::decoder, &DecoderName::name));
    list().add(
        seldomOption(section::kSource, "--threads", "N", "Decoder threads (default: one per processor)"),
        options_.source.decoderThreads, Value<int>{numberValue(0, 64).parse, [](int threads) {
                                                       return threads == 0 ? "" : std::to_string(threads);
                                                   }});
    list().add(
        seldomFlag(
            section::kSource, "--stereo",
            "Two sources, the left eye's and the right eye's, are one stream: each right picture goes with "
            "a left one (verbcast view --stereo)"),
        options_.stereo);
    list().add(
        seldomFlag(
            section::kSource, "--control",
            "Control a file by lines on standard input: pause, play, seek SECONDS, step 1, step -1; of "
            "several sources all files, or with a number before it one of them: 2 pause"),
        options_.control);
}

void SendCommandLine::addPicture() {
    list().add(option(section::kPicture, "--size", "WxH", "Size to send"), options_.size, sizeValue());
    list().add(option(section::kPicture, "--format", "NAME",
                      "Pixel format to send (see verbcast formats; default: the source's own)"),
               options_.source.pixelFormat, formatValue());
    addFps(list(), options_, "N|source|max", "Frames per second, source, or max for as fast as possible");
}

void SendCommandLine::addDelivery() {
    list().add(
        option(section::kDelivery, "--name", "NAME",
               "Name of the stream, as viewers see it (default: the host's); with several sources, once per "
               "source"),
        options_.names, BoundOption::Takes::Repeated);
    addPolicy(list(), options_,
              "latest: drop frames that a viewer is too slow for (default for patterns, cameras, screens); "
              "lossless: wait for the slowest viewer (default for files and stdin)");
    addAllowInput(list(), options_, "Let viewers use the keyboard and mouse of this screen");
    options_.memory = PictureMemory::Auto;
    addMemory(
        list(), options_, {"auto", "host", "copy", "device", "dmabuf"},
        "Where frames are kept. host: in the stream's ring, where cameras write them; device: in the memory "
        "of the NVIDIA GPU that decodes a file, from where RDMA devices send them and viewers on that GPU "
        "show them; dmabuf: in a camera driver's or graphics card's memory, which viewers on this machine "
        "read there; copy: copied into the ring; auto: the best that source, viewers and options allow");
}

SendOptions SendCommandLine::finish() const {
    SendOptions options = options_;
    placeMemory(options);
    SendingCommandLine::finish(options);
    finishMemory(options);
    checkSeveral(options);
    if (options.control && std::ranges::count(options.sources, "-") > 0) {
        throw Error(ErrorKind::Usage, "--control reads standard input, and so does the source -",
                    "name a file");
    }
    settleMemory(options);
    return options;
}

/// --memory means something else for cameras and screens, whose pictures are not in the ring's memory.
void SendCommandLine::placeMemory(SendOptions& options) const {
    const bool placed = options.memory == PictureMemory::Copy || options.memory == PictureMemory::DmaBuf;
    if (placed && !std::ranges::all_of(options.sources, hasItsOwnMemory)) {
        throw Error(ErrorKind::Usage, fmt::format("--memory {}: it is for cameras and screens", memoryText()),
                    "auto, host or device are for files; start a sender for each kind of source");
    }
    if (options.memory == PictureMemory::Copy) {
        options.source.cameraMemory = CameraMemoryChoice::Copy;
        options.source.screenMemory = ScreenMemoryChoice::Copy;
    } else if (options.memory == PictureMemory::DmaBuf) {
        options.source.cameraMemory = CameraMemoryChoice::DmaBuf;
        options.source.screenMemory = ScreenMemoryChoice::DmaBuf;
    } else if (options.memory == PictureMemory::Host) {
        options.source.cameraMemory = CameraMemoryChoice::Ring;
        options.source.screenMemory = ScreenMemoryChoice::Copy;
    }
    if (placed) {
        options.memory = PictureMemory::Host;  // the ring
    }
}

void SendCommandLine::finishMemory(SendOptions& options) const {
    const bool inDevice = options.memory == PictureMemory::Device;
    if (inDevice && options.source.decoder != Decoder::Auto && options.source.decoder != Decoder::Cuda) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--memory device with --decoder {}: cuda expected",
                                command().options.find("--decoder")->text()),
                    "leave one of the two out");
    }
    for (const auto& [option, given] : {std::pair{"--format", options.source.pixelFormat.has_value()},
                                        std::pair{"--size", options.size.has_value()}}) {
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
        options.source.decoder = Decoder::Cuda;
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
         {std::pair{options.sender.preview.has_value(), "--preview"},
          std::pair{options.sender.multicast.has_value(), "--multicast"},
          std::pair{options.control, "--control"}, std::pair{options.sender.allowInput, "--allow-input"}}) {
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
    for (const auto& [given, option] : {std::pair{options.sender.preview.has_value(), "--preview"},
                                        std::pair{options.sender.multicast.has_value(), "--multicast"}}) {
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
    const bool ascending =
        options.sender.listen && !options.sender.url.isName() && options.sender.url.port != 0;
    if (ascending && options.sender.url.port + count - 1 > UINT16_MAX) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--listen {}: {} streams need as many ports from {} on, and the last one is {}",
                        options.sender.url.text(), count, options.sender.url.port, UINT16_MAX),
            "give a lower port");
    }
}

}  // namespace verbcast
