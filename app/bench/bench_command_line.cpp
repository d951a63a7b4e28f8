#include "app/bench/bench_command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "app/cli/numa_choice.h"
#include "core/base/error.h"
#include "core/flow/slot_count.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

constexpr double kDefaultSeconds = 3;

const std::vector<std::pair<std::string, Verify>>& verifyNames() {
    static const std::vector<std::pair<std::string, Verify>> names{
        {"none", Verify::None}, {"header", Verify::Header}, {"full", Verify::Full}};
    return names;
}

Value<double> percentValue() {
    return {[](const std::string& name, const std::string& text) {
                double value = 0;
                const char* const last = text.data() + text.size();
                const auto [end, code] = std::from_chars(text.data(), last, value);
                if (code != std::errc() || end != last || !(value >= 0 && value <= 100)) {
                    throwExpected(name, text, "a number from 0 to 100");
                }
                return value;
            },
            [](double value) { return fmt::format("{}", value); }};
}

/// An option that not every mode uses.
struct PartialOption {
    const char* name;
    std::vector<BenchMode> modes;  ///< that use it
    const char* reason;            ///< why the others do not
};

const std::vector<PartialOption>& partialOptions() {
    using enum BenchMode;
    static const std::vector<PartialOption> options{
        {"--transport", {Frames, Sweep, Rpc, Stages, Scale, Viewers, Av}, "no transport is chosen there"},
        {"--size", {Frames, Limits, Stages, Scale, Viewers, Av}, "it has sizes of its own"},
        {"--format", {Frames, Limits, Stages, Scale, Viewers, Av}, "no frame is made there"},
        {"--fps", {Frames, Stages, Scale, Viewers, Av}, "nothing keeps to a rate there"},
        {"--frames",
         {Frames, Limits, Sweep, Register, Rpc, Stages, Scale, Decode},
         "its runs last for --seconds"},
        {"--verify", {Frames, Scale, Viewers}, "no frame is checked there"},
        {"--slots", {Frames, Limits, Stages, Scale, Viewers, Decode}, "no frames are held there"},
        {"--poll", {Frames, Sweep, Rpc, Stages, Scale}, "nothing spins there"},
        {"--encrypt", {Frames, Scale}, "nothing is encrypted there"},
        {"--memory", {Frames, Limits, Register, Stages}, "all of it is in main memory"},
        {"--gpu", {Frames, Limits, Register, Stages, Decode}, "it uses no GPU"},
        {"--pin", {Frames, Limits, Sweep, Rpc, Stages, Scale}, "its processors cannot be chosen one by one"},
        {"--repeat", {Frames, Limits, Stages, Scale, Viewers, Decode}, "it takes each point once"},
        {"--load",
         {Frames, Limits, Sweep, Register, Rpc, Stages, Scale, Viewers, Av},
         "it is measured alone"},
        {"--device",
         {Frames, Limits, Sweep, Register, Rpc, Stages, Scale, Viewers, Av},
         "it uses no RDMA device"}};
    return options;
}

std::string modesText(const std::vector<BenchMode>& modes) {
    std::string text;
    for (const BenchMode mode : modes) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", benchModeName(mode));
    }
    return text;
}

bool has(const std::vector<BenchMode>& modes, BenchMode mode) {
    return std::ranges::find(modes, mode) != modes.end();
}

double usualSeconds(const BenchOptions& options) {
    switch (options.mode) {
        case BenchMode::Viewers:
            return 12;  // several frames of the slow ones
        case BenchMode::Av:
            return options.starts > 1 ? 6 : 20;
        default:
            return kDefaultSeconds;
    }
}

}  // namespace

std::string_view benchModeName(BenchMode mode) {
    constexpr std::array kNames{"frames", "limits", "sweep",   "register", "rpc",
                                "stages", "scale",  "viewers", "decode",   "av"};
    return kNames.at(static_cast<std::size_t>(mode));
}

std::string_view verifyName(Verify verify) {
    return verifyNames().at(static_cast<std::size_t>(verify)).first;
}

BenchCommandLine::BenchCommandLine(Command& verbcast)
    : bench_(verbcast.add("bench",
                          "Measure the frame path and compare it with its limits; only av needs a display")) {
    bench_.remarks.text = "Without a command: frames. Sender and receiver are two processes of this machine.";
    bench_.remarks.examples =
        "verbcast bench --transport all --json run.json --html run.html\n"
        "verbcast bench --transport shm --fps 60 --verify header --poll\n"
        "verbcast bench sweep --transport tcp\n"
        "verbcast bench --compare old.json new.json";
    bench_.remarks.exitCodes =
        "0 measured, 130 interrupted (what has been measured so far is reported), others as for all "
        "commands.";
    bench_.options.add(
        option(section::kReport, "--compare", "OLD.json NEW.json", "Print the ratios of two JSON reports")
            .file(),
        compare_);
    addCommon(bench_, std::nullopt);
    addModes();
}

void BenchCommandLine::addModes() {
    Command& frames =
        addMode("frames", "Whole frames: rate, latency, processor time (the default)", BenchMode::Frames);
    frames.options.add(
        option("", "--damage", "PERCENT",
               "Frames of which this share changes, compared with whole frames in the same run: bytes "
               "sent, processor time, rate"),
        options_.damage, percentValue());
    addMode("limits", "Baselines: memory, a pipe, plain TCP, iperf3 and ib_write_bw", BenchMode::Limits);
    addMode("sweep", "Block sizes and depths: start-up cost and bandwidth of each transport",
            BenchMode::Sweep);
    addMode("register", "Cost of registering memory, compared with copying into a registered ring",
            BenchMode::Register);
    addMode("rpc", "Small calls: rate and round trip with 1 to 256 in flight", BenchMode::Rpc);
    addStages(addMode("stages", "Where a frame's time goes, from the source to the drawn picture",
                      BenchMode::Stages));
    Command& scale = addMode("scale", "More streams and larger pictures: cost per frame", BenchMode::Scale);
    scale.options.add(option("", "--streams", "N", "Maximum number of streams (default: 4, or 6 into one)"),
                      streams_, numberValue(1U, 16U));
    scale.options.add(
        flag("", "--into-one",
             "One process receives all streams: its processor time as a multiple of one stream's"),
        options_.intoOne);
    Command& viewers = addMode("viewers", "One stream to many viewers: what slow viewers cost the others",
                               BenchMode::Viewers);
    viewers.options.add(option("", "--viewers", "N", "All viewers"), options_.viewers,
                        numberValue(1U, 1000U));
    viewers.options.add(
        option("", "--slow", "N", "How many of them stall, then take a hundredth of the frames"),
        options_.slowViewers, numberValue(0U, 999U));
    viewers.remarks.text =
        "Default: 320x180 at 30 fps for 12 s, in which the slow ones take several frames. The sender is "
        "one process, the viewers that keep up are another, the slow ones a third.";
    addMode("decode", "A file's pictures a second by each decoder here, beside ffmpeg with the same one",
            BenchMode::Decode)
        .options.add(option("", "--source", "FILE", "A file").file().needed(), options_.source);
    addAv(addMode("av", "Offset between picture and sound, seen on the display and heard at the device",
                  BenchMode::Av));
}

void BenchCommandLine::addAv(Command& av) {
    av.options.add(option("", "--from", "URL",
                          "A sender elsewhere of pattern:flash with its tone (default: one is started here)"),
                   options_.from);
    av.options.add(
        option("", "--audio", "DEVICE",
               "The PipeWire device that plays; its monitor is recorded (default: the default one)"),
        options_.audio);
    av.options.add(option("", "--av-offset", "MS", "Have the viewer play sound that much later"),
                   options_.avOffset, decimalValue(-400, 400));
    av.options.add(
        option("", "--starts", "N", "Runs of each row, each with new programs: how the offset varies"),
        options_.starts, numberValue(1U, 1000U));
    av.remarks.text =
        "Default: 1920x1080 at 60 fps over shm for 20 s, with --starts for 6 s each. Verbcast sends "
        "pattern:flash and shows it in a window on the X display; a pixel of the window tells when it turns "
        "white, and the device's monitor when the pip is played. Positive: sound is late.\n"
        "Screens of Wayland sessions and of view --drm cannot be looked at: run it in a session of X, or on "
        "a display of its own (xvfb-run).";
    av.remarks.examples =
        "verbcast bench av --transport shm,tcp --seconds 60\n"
        "verbcast bench av --starts 20 --json starts.json\n"
        "verbcast bench av --from verbs://render1:7423 --audio pipewire:speakers";
}

void BenchCommandLine::addStages(Command& stages) {
    stages.options.add(
        option("", "--source", "SOURCE",
               "A file, pattern:NAME or scene:NAME as verbcast render draws it (default: pattern)")
            .file(),
        options_.source);
    stages.options.add(
        flag("", "--input", "Send input at random moments: time until the picture that shows it is drawn"),
        options_.input);
    stages.options.add(flag("", "--read-back", "Read the drawn picture back as well"), options_.readBack);
    stages.remarks.text =
        "scene: read-back, hand-off and upload are also measured alone, in the same run, and the report "
        "says whether in the pipeline they cost at most 1.15 times as much. With software OpenGL the "
        "processor time of a frame counts: drawing and the rest share the processors, and waiting takes "
        "time but costs nothing. With a GPU wall-clock time counts.\n"
        "--input with --fps 60: the report says whether input is in the picture within 1.5 frame times "
        "(p50) and 3 (p99).";
}

void BenchCommandLine::addCommon(Command& command, std::optional<BenchMode> mode) {
    const auto add = [&](Option option, auto& field, auto... value) {
        option.section = section::kMeasured;
        command.options.add(std::move(option), field, value...);
    };
    command.options.addAll(
        option(section::kMeasured, "--transport", "LIST", transportNames() + ", several with commas, or all"),
        options_.transports, transportValue("all"), ',');
    command.options.addAll(
        option(section::kMeasured, "--size", "WxH", "Sizes of a frame (default: 3840x2160)"), options_.sizes,
        sizeValue(), ',');
    command.options.addAll(option(section::kMeasured, "--format", "LIST", "Pixel formats (default: rgba)"),
                           options_.formats, formatValue(), ',');
    add(option("", "--fps", "max|N",
               "max, or a rate; at a fixed rate latency includes no queueing (default: max; frames: once "
               "at max for throughput, and once at 60 for latency)"),
        options_.fps,
        Value<std::optional<Rational>>{
            [](const std::string& name, const std::string& text) {
                return text == "max" ? std::nullopt : std::optional(parseRate(name, text, {"max"}));
            },
            [](const std::optional<Rational>& rate) { return rate ? rateText(*rate) : std::string(); },
            {"max"}});
    add(option("", "--frames", "N", "Frames of each run, instead of --seconds"), options_.frames,
        numberValue<std::uint64_t>(2, 1'000'000'000));
    add(option("", "--seconds", "S", "Length of each run (default: 3; viewers: 12; av: 20)"), seconds_,
        secondsValue(1e-9));
    add(option("", "--verify", "none|header|full",
               "full: every byte is written and checked; header: pixels are not touched; none"),
        options_.verify, choiceValue(verifyNames()));
    add(seldomOption("", "--slots", "N", "Maximum number of frames held, 2 to 64"), options_.slots,
        numberValue(kFewestSlots, kMostSlots));
    add(flag("", "--poll", "Spin instead of sleeping"), options_.poll);
    add(flag("", "--encrypt",
             "Frames: encrypt them (AES-256-GCM), compared with openssl speed in the same run"),
        options_.encrypt);
    add(option("", "--memory", "host|device",
               "Frames, stages: where both ends keep their rings; device: in GPU memory, compared with "
               "cuMemcpy in the same run. Register, limits: of GPU memory"),
        options_.deviceMemory, choiceValue<bool>({{"host", false}, {"device", true}}));
    addGpu(command.options);
    command.options.addAll(
        seldomOption(section::kMachine, "--pin", "CPU,CPU", "Processors of sender and receiver"),
        options_.pin, numberValue(0, 4095), ',');
    addNuma(command.options, options_.numa);
    add(option("", "--repeat", "N", "Runs of each row; the row is their median"), options_.repeat,
        numberValue(1U, 100U));
    add(seldomOption("", "--load", "N", "Keep this many processors busy meanwhile"), options_.load,
        numberValue(0U, 1024U));
    add(seldomOption("", "--device", "NAME", "RDMA device (default: the first with an address)"),
        options_.device);
    const auto report = [&](const char* names, const char* help, std::string& field) {
        command.options.add(option(section::kReport, names, "FILE", help).file(), field);
    };
    report("--json", "Write the report here (- for stdout)", options_.json);
    report("--html", "Write the report as a page with charts", options_.html);
    command.options.add(flag(section::kReport, "-q,--quiet", "Print errors only"), options_.quiet);
    for (const PartialOption& partial : partialOptions()) {
        if (mode && !has(partial.modes, *mode)) {
            command.options.find(partial.name)->option.hidden = true;  // refused, with the reason
        }
    }
}

Command& BenchCommandLine::addMode(const char* name, const char* summary, BenchMode mode) {
    Command& command = bench_.add(name, summary);
    addCommon(command, mode);
    modes_.emplace_back(&command, mode);
    return command;
}

/// Of the whole `bench` or of one of its commands: all keep their options in one place.
bool BenchCommandLine::given(const std::string& option) const {
    return bench_.options.given(option) ||
           std::ranges::any_of(modes_, [&](const auto& each) { return each.first->options.given(option); });
}

/// Refuses an option that would have no effect.
void BenchCommandLine::checkEffects(BenchMode mode) const {
    const auto refuse = [](const std::string& option, std::string_view reason, const std::string& remedy) {
        throw Error(ErrorKind::Usage, fmt::format("{}: {}", option, reason), remedy);
    };
    for (const auto& [option, modes, reason] : partialOptions()) {
        if (given(option) && !has(modes, mode)) {
            refuse(fmt::format("{} with bench {}", option, benchModeName(mode)), reason,
                   fmt::format("leave it out: it goes with bench {}", modesText(modes)));
        }
    }
    if (given("--gpu") && !options_.deviceMemory && mode != BenchMode::Stages && mode != BenchMode::Decode) {
        refuse("--gpu without --memory device", "no GPU takes part", "add --memory device, or leave it out");
    }
    if (given("--frames") && given("--seconds")) {
        refuse("--frames with --seconds", "one of them ends a run", "leave one of them out");
    }
}

/// Refuses whatever is given beside --compare.
void BenchCommandLine::checkCompareAlone() const {
    for (const auto& [command, mode] : modes_) {
        if (command->chosen) {
            throw Error(ErrorKind::Usage,
                        fmt::format("bench {} with --compare: nothing is measured", benchModeName(mode)),
                        "leave one of them out");
        }
    }
    for (const BoundOption& bound : bench_.options) {
        const std::string name = bound.option.name();
        if (bound.given && name != "--compare" && name != "--quiet") {
            throw Error(
                ErrorKind::Usage,
                fmt::format("{} with --compare: nothing is measured, and the ratios go to standard output",
                            name),
                "leave one of them out");
        }
    }
}

std::variant<BenchOptions, CompareOptions> BenchCommandLine::finish() const {
    if (!compare_.empty()) {
        checkCompareAlone();
        if (compare_.size() != 2) {
            throw Error(ErrorKind::Usage, "--compare: two reports expected",
                        "verbcast bench --compare OLD.json NEW.json");
        }
        return CompareOptions{compare_[0], compare_[1]};
    }
    BenchOptions options = options_;
    for (const auto& [command, mode] : modes_) {
        if (command->chosen) {
            options.mode = mode;
        }
    }
    checkEffects(options.mode);
    finishMeasured(options);
    if (options.damage && (options.encrypt || options.deviceMemory)) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--damage with {}: one of them is measured at a time",
                                options.encrypt ? "--encrypt" : "--memory device"),
                    "leave one out");
    }
    if (!options.pin.empty() && options.pin.size() != 2) {
        throw Error(ErrorKind::Usage, "--pin: two processors expected, the sender's and the receiver's",
                    "for example --pin 0,1");
    }
    if (options.mode == BenchMode::Av) {
        checkAv(options);
    }
    options.streams = streams_.value_or(options.intoOne ? 6 : 4);
    options.source = options.source.empty() ? "pattern" : options.source;
    if (options.mode == BenchMode::Viewers) {
        if (options.slowViewers >= options.viewers) {
            throwExpected("--slow", std::to_string(options.slowViewers),
                          fmt::format("0 to {}", options.viewers - 1));
        }
        if (given("--fps") && !options.fps) {
            throw Error(ErrorKind::Usage, "--fps max: viewers keep up with a rate",
                        "give a number, for example --fps 30");
        }
    }
    if (options.html == "-") {
        throw Error(ErrorKind::Usage, "--html -: a file expected", "for example --html report.html");
    }
    return options;
}

void BenchCommandLine::checkAv(const BenchOptions& options) const {
    if (given("--fps") && !options.fps) {
        throw Error(ErrorKind::Usage, "--fps max: a rate that the window keeps up with expected",
                    "give a number, for example --fps 60");
    }
    for (const char* option : {"--transport", "--size", "--format", "--fps", "--device"}) {
        if (!options.from.empty() && given(option)) {
            throw Error(ErrorKind::Usage, fmt::format("{} with --from: that sender chooses", option),
                        "leave one of them out");
        }
    }
}

void BenchCommandLine::finishMeasured(BenchOptions& options) const {
    if (options.transports.empty() && options.mode == BenchMode::Av) {
        options.transports = {"shm"};
    }
    options.allTransports = options.transports.empty() ||
                            std::ranges::find(options.transports, "all") != options.transports.end();
    if (options.allTransports) {
        options.transports.clear();
        for (const Transport& transport : transports()) {
            options.transports.emplace_back(transport.scheme);
        }
    }
    const bool rdma = std::ranges::any_of(options.transports, [](const std::string& scheme) {
        return transportHas(scheme, &Transport::usesRdma);
    });
    if (!options.device.empty() && !rdma) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--device {}: none of these transports uses an RDMA device", options.device),
                    "leave it out, or add --transport verbs or ofi");
    }
    options.formatGiven = !options.formats.empty();
    if (!options.formatGiven) {
        options.formats = {PixelFormat::rgba};
    }
    options.latencyApart = !given("--fps");
    options.seconds = seconds_ ? std::chrono::duration<double>(*seconds_).count() : usualSeconds(options);
}

}  // namespace verbcast
