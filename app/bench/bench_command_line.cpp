#include "app/bench/bench_command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

#include "app/cli/gpu_option.h"
#include "app/cli/numa_choice.h"
#include "app/cli/option_values.h"
#include "core/base/error.h"
#include "core/flow/slot_count.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

template <typename T>
T parseNumber(const std::string& option, const std::string& text, T least, T most) {
    T value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value < least || value > most) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} {}: a number from {} to {} expected", option, text, least, most));
    }
    return value;
}

void checkRange(const std::string& option, std::uint32_t value, std::uint32_t least, std::uint32_t most) {
    if (value < least || value > most) {
        throw Error(ErrorKind::Usage, fmt::format("{} {}: {} to {} expected", option, value, least, most));
    }
}

Verify parseVerify(const std::string& text) {
    for (const Verify verify : {Verify::None, Verify::Header, Verify::Full}) {
        if (text == verifyName(verify)) {
            return verify;
        }
    }
    throw Error(ErrorKind::Usage, fmt::format("--verify {}: none, header or full expected", text));
}

/// Returns true for a GPU's memory.
bool parseMemory(const std::string& text, bool damage) {
    if (text != "host" && text != "device") {
        throw Error(ErrorKind::Usage, fmt::format("--memory {}: host or device expected", text));
    }
    if (text == "device" && damage) {
        throw Error(ErrorKind::Usage, "--damage with --memory device: one of them is measured at a time",
                    "leave one out");
    }
    return text == "device";
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
        {"--transport", {Frames, Sweep, Rpc, Stages, Scale, Viewers}, "no transport is chosen there"},
        {"--size", {Frames, Limits, Stages, Scale, Viewers}, "it has sizes of its own"},
        {"--format", {Frames, Limits, Stages, Scale, Viewers}, "no frame is made there"},
        {"--fps", {Frames, Stages, Scale, Viewers}, "nothing keeps to a rate there"},
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
        {"--load", {Frames, Limits, Sweep, Register, Rpc, Stages, Scale, Viewers}, "it is measured alone"},
        {"--device",
         {Frames, Limits, Sweep, Register, Rpc, Stages, Scale, Viewers},
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

}  // namespace

std::string_view benchModeName(BenchMode mode) {
    switch (mode) {
        case BenchMode::Frames:
            return "frames";
        case BenchMode::Limits:
            return "limits";
        case BenchMode::Sweep:
            return "sweep";
        case BenchMode::Register:
            return "register";
        case BenchMode::Rpc:
            return "rpc";
        case BenchMode::Stages:
            return "stages";
        case BenchMode::Scale:
            return "scale";
        case BenchMode::Viewers:
            return "viewers";
        case BenchMode::Decode:
            return "decode";
    }
    return "";
}

std::string_view verifyName(Verify verify) {
    switch (verify) {
        case Verify::None:
            return "none";
        case Verify::Header:
            return "header";
        case Verify::Full:
            return "full";
    }
    return "";
}

BenchCommandLine::BenchCommandLine(CLI::App& app)
    : bench_(app.add_subcommand("bench",
                                "Measure the frame path and compare it with its limits; needs no display")) {
    bench_->require_subcommand(0, 1);
    bench_->footer(
        "Without a subcommand: frames. Sender and receiver are two processes of this machine.\n"
        "Examples:\n"
        "  verbcast bench --transport all --json run.json --html run.html\n"
        "  verbcast bench --transport shm --fps 60 --verify header --poll\n"
        "  verbcast bench sweep --transport tcp\n"
        "  verbcast bench --compare old.json new.json\n"
        "Exit codes: 0 measured, 130 interrupted (what has been measured so far is reported), others as for "
        "all commands.");
    bench_->add_option("--compare", raw_.compare, "Print the ratios of two JSON reports")
        ->type_name("OLD.json NEW.json")
        ->expected(2);
    addCommon(*bench_);
    CLI::App* frames =
        addMode("frames", "Whole frames: rate, latency, processor time (the default)", BenchMode::Frames);
    frames
        ->add_option("--damage", raw_.damage,
                     "Frames of which this share changes, compared with whole frames in the same run: bytes "
                     "sent, processor time, rate")
        ->type_name("PERCENT");
    addMode("limits", "Baselines: memory, a pipe, plain TCP, iperf3 and ib_write_bw", BenchMode::Limits);
    addMode("sweep", "Block sizes and depths: start-up cost and bandwidth of each transport",
            BenchMode::Sweep);
    addMode("register", "Cost of registering memory, compared with copying into a registered ring",
            BenchMode::Register);
    addMode("rpc", "Small calls: rate and round trip with 1 to 256 in flight", BenchMode::Rpc);
    CLI::App* stages = addMode("stages", "Where a frame's time goes, from the source to the drawn picture",
                               BenchMode::Stages);
    stages->add_option("--source", raw_.source,
                       "A file, pattern:NAME or scene:NAME as verbcast render draws it (default: pattern)");
    stages->add_flag("--input", raw_.input,
                     "Send input at random moments: time until the picture that shows it is drawn");
    stages->add_flag("--read-back", raw_.readBack, "Read the drawn picture back as well");
    stages->footer(
        "scene: read-back, hand-off and upload are also measured alone, in the same run, and the report says "
        "whether in the pipeline they cost at most 1.15 times as much. With software OpenGL the processor "
        "time of a frame counts: drawing and the rest share the processors, and waiting takes time but costs "
        "nothing. With a GPU wall-clock time counts.\n"
        "--input with --fps 60: the report says whether input is in the picture within 1.5 frame times (p50) "
        "and 3 (p99).");
    CLI::App* scale = addMode("scale", "More streams and larger pictures: cost per frame", BenchMode::Scale);
    scale->add_option("--streams", raw_.streams, "Maximum number of streams (default: 4, or 6 into one)")
        ->type_name("N");
    scale->add_flag("--into-one", raw_.intoOne,
                    "One process receives all streams: its processor time as a multiple of one stream's");
    CLI::App* viewers = addMode("viewers", "One stream to many viewers: what slow viewers cost the others",
                                BenchMode::Viewers);
    viewers->add_option("--viewers", raw_.viewers, "All viewers")->capture_default_str()->type_name("N");
    viewers->add_option("--slow", raw_.slow, "How many of them stall, then take a hundredth of the frames")
        ->capture_default_str()
        ->type_name("N");
    viewers->footer(
        "Default: 320x180 at 30 fps for 12 s, in which the slow ones take several frames. The sender is one\n"
        "process, the viewers that keep up are another, the slow ones a third.");
    addMode("decode", "A file's pictures a second by each decoder here, beside ffmpeg with the same one",
            BenchMode::Decode)
        ->add_option("--source", raw_.source, "A file")
        ->required();
}

bool BenchCommandLine::parsed() const {
    return bench_->parsed();
}

void BenchCommandLine::addCommon(CLI::App& command) {
    command.add_option("--transport", raw_.transports, transportNames() + ", several with commas, or all")
        ->delimiter(',')
        ->type_name("LIST");
    command.add_option("--size", raw_.sizes, "Sizes of a frame (default: 3840x2160)")
        ->delimiter(',')
        ->type_name("WxH");
    command.add_option("--format", raw_.formats, "Pixel formats (default: rgba)")
        ->delimiter(',')
        ->type_name("LIST");
    command
        .add_option("--fps", raw_.fps,
                    "max, or a rate; at a fixed rate latency includes no queueing (default: max; frames: "
                    "once at max for throughput, and once at 60 for latency)")
        ->type_name("max|N");
    command.add_option("--frames", raw_.frames, "Frames of each run, instead of --seconds")->type_name("N");
    command.add_option("--seconds", raw_.seconds, "Length of each run (default: 3)")->type_name("S");
    command
        .add_option("--verify", raw_.verify,
                    "full: every byte is written and checked; header: pixels are not touched; none")
        ->capture_default_str()
        ->type_name("none|header|full");
    command.add_option("--slots", raw_.slots, "Maximum number of frames held, 2 to 64")
        ->capture_default_str()
        ->type_name("N");
    command.add_flag("--poll", raw_.poll, "Spin instead of sleeping");
    command.add_flag("--encrypt", raw_.encrypt,
                     "Frames: encrypt them (AES-256-GCM), compared with openssl speed in the same run");
    command
        .add_option("--memory", raw_.memory,
                    "Frames, stages: where both ends keep their rings; device: in GPU memory, compared with "
                    "cuMemcpy in the same run. Register, limits: of GPU memory")
        ->capture_default_str()
        ->type_name("host|device");
    addGpu(command);
    command.add_option("--pin", raw_.pin, "Processors of sender and receiver")
        ->delimiter(',')
        ->type_name("CPU,CPU");
    addNuma(command, raw_.numa);
    command.add_option("--repeat", raw_.repeat, "Runs of each row; the row is their median")
        ->capture_default_str()
        ->type_name("N");
    command.add_option("--load", raw_.load, "Keep this many processors busy meanwhile")->type_name("N");
    command.add_option("--device", raw_.device, "RDMA device (default: the first with an address)")
        ->type_name("NAME");
    command.add_option("--json", raw_.json, "Write the report here (- for stdout)")->type_name("FILE");
    command.add_option("--html", raw_.html, "Write the report as a page with charts")->type_name("FILE");
    command.add_flag("-q,--quiet", raw_.quiet, "Show no progress");
}

CLI::App* BenchCommandLine::addMode(const char* name, const char* summary, BenchMode mode) {
    CLI::App* command = bench_->add_subcommand(name, summary);
    addCommon(*command);
    for (const PartialOption& option : partialOptions()) {
        if (!has(option.modes, mode)) {
            command->get_option(option.name)->group("");  // refused, and not listed
        }
    }
    modes_.emplace_back(command, mode);
    return command;
}

/// Of the whole `bench` or of one of its commands: all keep their options in one place.
bool BenchCommandLine::given(const std::string& option) const {
    const auto isGiven = [&](const CLI::App* command) {
        const CLI::Option* const known = command->get_option_no_throw(option);
        return known != nullptr && known->count() > 0;
    };
    return isGiven(bench_) ||
           std::ranges::any_of(modes_, [&](const auto& each) { return isGiven(each.first); });
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
    if (given("--gpu") && raw_.memory != "device" && mode != BenchMode::Stages && mode != BenchMode::Decode) {
        refuse("--gpu without --memory device", "no GPU takes part", "add --memory device, or leave it out");
    }
    if (given("--frames") && given("--seconds")) {
        refuse("--frames with --seconds", "one of them ends a run", "leave one of them out");
    }
}

/// Refuses whatever is given beside --compare.
void BenchCommandLine::checkCompareAlone() const {
    for (const auto& [command, mode] : modes_) {
        if (command->parsed()) {
            throw Error(ErrorKind::Usage,
                        fmt::format("bench {} with --compare: nothing is measured", benchModeName(mode)),
                        "leave one of them out");
        }
    }
    for (const CLI::Option* option : bench_->get_options()) {
        if (option->count() > 0 && !option->check_lname("compare") && !option->check_lname("quiet")) {
            throw Error(
                ErrorKind::Usage,
                fmt::format("--{} with --compare: nothing is measured, and the ratios go to standard output",
                            option->get_lnames().front()),
                "leave one of them out");
        }
    }
}

std::variant<BenchOptions, CompareOptions> BenchCommandLine::finish() const {
    if (!raw_.compare.empty()) {
        checkCompareAlone();
        return CompareOptions{raw_.compare[0], raw_.compare[1]};
    }
    BenchOptions options;
    for (const auto& [command, mode] : modes_) {
        if (command->parsed()) {
            options.mode = mode;
        }
    }
    checkEffects(options.mode);
    options.allTransports =
        raw_.transports.empty() || std::count(raw_.transports.begin(), raw_.transports.end(), "all") > 0;
    if (options.allTransports) {
        for (const Transport& transport : transports()) {
            options.transports.emplace_back(transport.scheme);
        }
    } else {
        for (const std::string& name : raw_.transports) {
            options.transports.push_back(parseTransport(name, "all"));
        }
    }
    const bool rdma = std::ranges::any_of(options.transports, [](const std::string& scheme) {
        return transportHas(scheme, &Transport::usesRdma);
    });
    if (!raw_.device.empty() && !rdma) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--device {}: none of these transports uses an RDMA device", raw_.device),
                    "leave it out, or add --transport verbs or ofi");
    }
    for (const std::string& text : raw_.sizes) {
        BenchSize size;
        parseSize(text, size.width, size.height);
        options.sizes.push_back(size);
    }
    for (const std::string& text : raw_.formats) {
        options.formats.push_back(parsePixelFormat(text));
    }
    options.formatGiven = !options.formats.empty();
    if (!options.formatGiven) {
        options.formats = {PixelFormat::rgba};
    }
    if (!raw_.fps.empty() && raw_.fps != "max") {
        options.fps = parseRate(raw_.fps);
    }
    options.latencyApart = raw_.fps.empty();
    if (!raw_.frames.empty()) {
        options.frames = parseNumber<std::uint64_t>("--frames", raw_.frames, 2, 1'000'000'000);
    }
    if (!raw_.seconds.empty()) {
        options.seconds =
            std::chrono::duration<double>(parseDuration("--seconds", raw_.seconds, 1e-9)).count();
    }
    options.verify = parseVerify(raw_.verify);
    options.slots = checkedSlots(raw_.slots, "--slots");
    options.poll = raw_.poll;
    options.encrypt = raw_.encrypt;
    options.deviceMemory = parseMemory(raw_.memory, !raw_.damage.empty());
    if (!raw_.damage.empty()) {
        options.damage = parseNumber<double>("--damage", raw_.damage, 0, 100);
        if (options.encrypt) {
            throw Error(ErrorKind::Usage, "--damage with --encrypt: one of them is measured at a time",
                        "leave one out");
        }
    }
    for (const std::string& text : raw_.pin) {
        options.pin.push_back(parseNumber<int>("--pin", text, 0, 4095));
    }
    if (!options.pin.empty() && options.pin.size() != 2) {
        throw Error(ErrorKind::Usage, "--pin: two processors expected, the sender's and the receiver's",
                    "for example --pin 0,1");
    }
    options.repeat = raw_.repeat;
    options.load = raw_.load;
    options.intoOne = raw_.intoOne;
    options.streams = raw_.streams.value_or(raw_.intoOne ? 6 : 4);
    options.source = raw_.source.empty() ? "pattern" : raw_.source;
    options.readBack = raw_.readBack;
    options.input = raw_.input;
    options.device = raw_.device;
    options.json = raw_.json;
    options.html = raw_.html;
    options.quiet = raw_.quiet;
    checkRange("--repeat", options.repeat, 1, 100);
    checkRange("--load", options.load, 0, 1024);
    checkRange("--streams", options.streams, 1, 16);
    options.numa = parseNuma(raw_.numa);
    options.viewers = raw_.viewers;
    options.slowViewers = raw_.slow;
    if (options.mode == BenchMode::Viewers) {
        constexpr double kForSlowOnes = 12;
        options.seconds = raw_.seconds.empty() ? kForSlowOnes : options.seconds;
        checkRange("--viewers", options.viewers, 1, 1000);
        checkRange("--slow", options.slowViewers, 0, options.viewers - 1);
        if (raw_.fps == "max") {
            throw Error(ErrorKind::Usage, "--fps max: viewers keep up with a rate",
                        "give a number, for example --fps 30");
        }
    }
    if (options.html == "-") {
        throw Error(ErrorKind::Usage, "--html -: a file expected", "for example --html report.html");
    }
    return options;
}

}  // namespace verbcast
