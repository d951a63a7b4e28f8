#include "app/commands/compose/compose_command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands/compose/mosaic/changes.h"
#include "app/commands/view/layout_choice.h"
#include "app/view/words/alignment_words.h"
#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr int kMaxLinePixels = 1000;

Value<int> pixelsValue() {
    return {[](const std::string& name, const std::string& text) {
                return static_cast<int>(parseNumber(name, text, 0, kMaxLinePixels));
            },
            [](int pixels) { return pixels == 0 ? std::string() : std::to_string(pixels); }};
}

/// Seconds.
Value<std::chrono::nanoseconds> fadeValue() {
    return {[](const std::string& name, const std::string& text) {
                try {
                    return mosaic::parseFade(text);
                } catch (const Error& error) {
                    throw Error(ErrorKind::Usage, fmt::format("{} {}", name, error.what()));
                }
            },
            [](std::chrono::nanoseconds fade) {
                return fade.count() == 0 ? std::string()
                                         : fmt::format("{:g}", std::chrono::duration<double>(fade).count());
            }};
}

mosaic::AudioFrom audioFromOption(const std::string& text, std::size_t inputs) {
    try {
        return mosaic::parseAudioFrom(text, inputs);
    } catch (const Error& error) {
        throw Error(ErrorKind::Usage, fmt::format("--audio-from {}", error.what()));
    }
}

}  // namespace

ComposeCommandLine::ComposeCommandLine(Command& verbcast)
    : SendingCommandLine(verbcast, "compose",
                         "Draw several streams into one picture, or merge parts of a scene") {
    command().remarks.text =
        "With --layout the inputs are drawn side by side or over each other, and the picture is sent: any "
        "streams, and what verbcast send takes (a file, a camera, the screen, a pattern). An input that is "
        "lost "
        "or late is shown as such and holds up nobody.\n"
        "Without it, partial renderings are merged: frames with equal time stamps, of the same size and "
        "rate. By "
        "depth, the nearest part is kept at each pixel: render --part sends depths, and so does another "
        "compose "
        "with --keep-depth. By order, the first URL is in front, and the others show through it: parts are "
        "rgba "
        "or bgra, with premultiplied alpha.";
    command().remarks.examples =
        "verbcast compose --layout grid --size 3840x2160 cam1 cam2 cam3 cam4 cam5 cam6\n"
        "verbcast compose --layout free --panes \"1:0,0,100;2:70,70,28\" render1 v4l2 --listen :7500\n"
        "verbcast compose --layout pip --names auto --fade 0.5 --control host1 host2 clip.mp4\n"
        "verbcast compose verbs://render1 verbs://render2 verbs://render3 --to wall\n"
        "verbcast compose --by order front:7001 middle:7001 back:7001";
    list().add(argument(section::kPeers, "URL",
                        "The inputs: addresses where senders listen; with --layout sources of this host, too")
                   .needed(),
               inputs_);
    addMosaic();
    addMerging();
    addPeers();
    addSending(list(), options_);
    addAllowInput(
        list(), options_,
        "Forward viewers' input: with --layout to the picture under the pointer, else to every part "
        "that accepts it (render --part --allow-input)");
    addPolicy(
        list(), options_,
        "latest: drop frames that a viewer is too slow for (default); lossless: wait for the slowest viewer");
    addMaxMemory(options_.maxMemory);
    addMemory(
        list(), options_, {"auto", "host", "device", "dmabuf"},
        "With --layout: where frames are kept. host: read back from the GPU; device: in the memory of the "
        "NVIDIA GPU that draws them; dmabuf: in buffers of the graphics card that draws them; auto: "
        "device, unless an option needs the processor");
    addGpu(list());
    addSession(list(), options_, options_.sender, options_.sender.slots);
    addRest(options_);
}

void ComposeCommandLine::addMosaic() {
    list().add(option(section::kPicture, "--layout", "NAME",
                      layoutHelp("Draw the inputs into one picture:", mosaic::isForMosaics)),
               layout_, layoutValue(mosaic::isForMosaics));
    list().add(option(section::kPicture, "--size", "WxH", "Size of the picture"), mosaic_.size, sizeValue());
    options_.pacing = Pacing::Rate;
    options_.rate = {60, 1};
    addFps(list(), options_, "N|max", "Pictures per second, or max for one whenever something is new");
    list().add(option(section::kPicture, "--panes", kPanesValue, kPanesHelp), mosaic_.panes, panesValue());
    list().add(option(section::kPicture, "--focus", "N", "The number of the large picture (default: 1)"),
               focus_, countValue());
    list().add(option(section::kSound, "--audio-from", mosaic::kAudioFromValue,
                      "The sound of input N, the mix of all in stereo at 48 kHz, or none; focus (default): "
                      "of the input in focus, "
                      "or if it has none, of the first that has")
                   .known({"focus", "mix", "none"}),
               audioFrom_);
    list().add(
        option(section::kPicture, "--names", "auto|NAME,...", "Show names: each input's own, or these"),
        names_);
    list().add(option(section::kPicture, "--background", "RRGGBB|FILE",
                      "Behind the pictures: a colour in hexadecimal, or a PNG or JPEG file (default: black)"),
               background_);
    list().add(seldomOption(section::kPicture, "--gap", "PIXELS", "Between the pictures, and around them"),
               mosaic_.gap, pixelsValue());
    list().add(seldomOption(section::kPicture, "--border", "PIXELS", "A frame along each picture's edge"),
               mosaic_.border, pixelsValue());
    list().add(seldomOption(section::kPicture, "--format", "rgba|bgra|x2rgb10le",
                            "Pixels to send (default: rgba or bgra, whichever needs no conversion)"),
               mosaic_.pixelFormat,
               choiceValue<PixelFormat>({{"rgba", PixelFormat::rgba},
                                         {"bgra", PixelFormat::bgra},
                                         {"x2rgb10le", PixelFormat::x2rgb10le}}));
    list().add(seldomOption(section::kPicture, "--align", "newest|capture|pts", kAlignHelp)
                   .known({"newest", "capture", "pts"}),
               align_);
    list().add(seldomOption(section::kPicture, "--delay", "MS", kDelayHelp), delay_);
    list().add(seldomOption(section::kPicture, "--fade", "SECONDS",
                            "How long pictures take to their new places when the layout changes, at most 1"),
               mosaic_.fade, fadeValue());
    list().add(seldomFlag(section::kPicture, "--loop", "Files start over at their end"), mosaic_.loop);
    list().add(
        seldomFlag(section::kPicture, "--control",
                   std::string("Change the picture by lines on standard input: ") + mosaic::kChangesHelp),
        mosaic_.commanded);
}

void ComposeCommandLine::addMerging() {
    list().add(
        option(
            section::kPicture, "--by", "depth|order",
            "Merge parts. depth: keep the nearest at each pixel (default); order: stack them by their alpha, "
            "the first in front"),
        options_.by, choiceValue<MergeBy>({{"depth", MergeBy::Depth}, {"order", MergeBy::Order}}));
    list().add(
        seldomFlag(section::kPicture, "--keep-depth", "Also send the merged depths, for another compose"),
        options_.keepDepth);
}

std::variant<ComposeOptions, MosaicOptions> ComposeCommandLine::finish() const {
    if (layout_) {
        return finishMosaic();
    }
    return finishMerging();
}

ComposeOptions ComposeCommandLine::finishMerging() const {
    constexpr std::size_t kMaxParts = 64;
    for (const char* const ofMosaics :
         {"--size", "--fps", "--panes", "--focus", "--names", "--background", "--gap", "--border", "--format",
          "--audio-from", "--align", "--delay", "--fade", "--loop", "--control", "--memory"}) {
        if (given(ofMosaics)) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{} needs --layout: parts are merged as they come", ofMosaics),
                        fmt::format("add --layout grid, or leave out {}", ofMosaics));
        }
    }
    ComposeOptions options = options_;
    options.pacing = Pacing::Source;
    if (inputs_.size() < 2 || inputs_.size() > kMaxParts) {
        throw Error(ErrorKind::Usage,
                    fmt::format("verbcast compose: {} given, 2 to {} parts expected",
                                counted(inputs_.size(), "part"), kMaxParts),
                    inputs_.size() < 2 ? "to draw inputs side by side, add --layout grid" : "");
    }
    if (options.by == MergeBy::Order && options.keepDepth) {
        throw Error(ErrorKind::Usage, "--keep-depth with --by order: what is merged by alpha has no depth",
                    "leave out one of them");
    }
    SendingCommandLine::finish(options);
    for (const std::string& part : inputs_) {
        const Url url = parseUrl(part);
        options.parts.push_back(peerAt({url, false}, options.sender.listen));
        options.parts.back().findsRails = false;  // --rails is about the viewer
    }
    return options;
}

MosaicOptions ComposeCommandLine::finishMosaic() const {
    for (const char* const ofMerging : {"--by", "--keep-depth"}) {
        if (given(ofMerging)) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{} with --layout: pictures that are laid out are not merged", ofMerging),
                        "leave out one of them");
        }
    }
    MosaicOptions options = mosaic_;
    static_cast<SendingOptions&>(options) = options_;
    options.maxMemory = options_.maxMemory;
    options.layout = *layout_;
    options.inputs = inputs_;
    if (inputs_.size() > kMaxMosaicInputs) {
        throw Error(ErrorKind::Usage, fmt::format("verbcast compose: {} given, at most {} expected",
                                                  counted(inputs_.size(), "input"), kMaxMosaicInputs));
    }
    if (focus_ && *focus_ > inputs_.size()) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--focus {}: there {} {}", *focus_, inputs_.size() == 1 ? "is" : "are",
                                counted(inputs_.size(), "input")));
    }
    options.focus = focus_.value_or(1) - 1;
    if (!options.panes.empty() && options.layout->way != LayoutWay::Free) {
        throw Error(ErrorKind::Usage, "--panes needs --layout free", "add --layout free");
    }
    if (options.commanded && std::ranges::count(inputs_, "-") > 0) {
        throw Error(ErrorKind::Usage, "--control reads standard input, and so does the input -",
                    "leave out one of them");
    }
    options.alignment = parseAlignment(align_, delay_);
    if (!audioFrom_.empty()) {
        options.audioFrom = audioFromOption(audioFrom_, inputs_.size());
    }
    if (!names_.empty()) {
        const Value<std::string> name{[](const std::string&, const std::string& text) { return text; }, {}};
        options.names =
            names_ == "auto" ? std::vector<std::string>() : listValue(name).parse("--names", names_);
    }
    if (!background_.empty()) {
        const auto colour = colourIn(background_);
        options.colour = colour.value_or(options.colour);
        options.background = colour ? "" : background_;
    }
    if (!given("--memory")) {
        options.memory = PictureMemory::Auto;
    }
    SendingCommandLine::finish(options);
    if (options.pixelFormat.value_or(PixelFormat::rgba) != PixelFormat::rgba) {
        keepInHost(options, "only rgba is copied by a GPU");
        if (options.memory != PictureMemory::Host) {
            throw Error(ErrorKind::Usage,
                        fmt::format("--format with --memory {}: only rgba stays in a GPU", memoryText()),
                        "leave one of the two out");
        }
    }
    for (const std::string& input : inputs_) {
        if (!isLocalInput(input)) {
            static_cast<void>(parsePeer(input));  // complains at once
        }
    }
    settleMemory(options);
    return options;
}

}  // namespace verbcast
