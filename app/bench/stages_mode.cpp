// bench stages: one process decodes or draws and sends, another receives, uploads, draws and reads back. The
// second is verbcast-gl, since this program loads no OpenGL.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/bench/bench_modes.h"
#include "app/bench/stages_job.h"
#include "app/bench/worker.h"
#include "app/helper_program.h"
#include "app/interrupt.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// Opening a source and OpenGL takes moments; only a failure waits so long.
constexpr auto kPatience = 60s;

struct PlannedRun {
    Scheme scheme;
    std::uint32_t load;
    std::optional<BenchSize> size;
    std::optional<PixelFormat> pixelFormat;

    std::string text() const {
        std::string words = std::string(schemeName(scheme));
        if (size) {
            words += fmt::format(" {}x{}", size->width, size->height);
        }
        if (pixelFormat) {
            words += fmt::format(" {}", pixelFormatName(*pixelFormat));
        }
        return load > 0 ? words + fmt::format(", {} processors loaded", load) : words;
    }
};

/// A file keeps its own size and format unless told otherwise; a pattern has none.
std::vector<PlannedRun> plan(const BenchOptions& options, const std::vector<Scheme>& transports) {
    const bool pattern = options.source == "pattern" || options.source.starts_with("pattern:");
    std::vector<std::optional<BenchSize>> sizes(options.sizes.begin(), options.sizes.end());
    if (sizes.empty()) {
        sizes = {pattern ? std::optional(BenchSize{}) : std::nullopt};
    }
    std::vector<std::optional<PixelFormat>> formats{std::nullopt};
    if (pattern || options.formatGiven) {
        formats.assign(options.formats.begin(), options.formats.end());
    }
    std::vector<std::uint32_t> loads{0};
    if (options.load > 0) {
        loads.push_back(options.load);
    }
    std::vector<PlannedRun> runs;
    for (const Scheme scheme : transports) {
        for (const auto& size : sizes) {
            for (const auto& pixelFormat : formats) {
                for (const std::uint32_t load : loads) {
                    runs.push_back({scheme, load, size, pixelFormat});
                }
            }
        }
    }
    return runs;
}

StagesJob jobOf(const PlannedRun& run, const BenchOptions& options) {
    StagesJob job;
    job.address = freshAddress(run.scheme, options);
    job.source = options.source;
    job.pixelFormat = run.pixelFormat;
    job.size = run.size;
    job.fps = options.fps;
    job.frames = options.frames;
    job.seconds = options.seconds;
    job.slots = options.slots;
    job.poll = options.poll;
    job.readBack = options.readBack;
    job.pin = options.pin;
    return job;
}

StageRun assemble(const PlannedRun& run, const nlohmann::json& sent, const nlohmann::json& received) {
    StageRun result;
    result.source = sent.at("source");
    result.transport = schemeName(run.scheme);
    result.renderer = received.at("renderer");
    result.width = received.at("width");
    result.height = received.at("height");
    result.pixelFormat = received.at("pixel_format");
    result.load = run.load;
    result.fps = received.at("fps");
    result.frames = received.at("frames");
    result.framesDropped = received.at("frames_dropped");
    for (const auto& list : {sent.at("stages"), received.at("stages")}) {
        for (const nlohmann::json& stage : list) {
            result.stages.push_back(stageFromJson(stage));
        }
    }
    result.total = stageFromJson(received.at("total")).time;
    return result;
}

/// Waits for a worker's next line; throws its error when there is none.
void awaitProgress(Worker& worker) {
    if (worker.progress(kPatience).is_null()) {
        worker.result(0s);
    }
}

class StagesBench {
  public:
    StagesBench(const BenchOptions& options, BenchReport& report, BenchProgress& progress)
        : options_(options), report_(report), progress_(progress), program_(helperProgram("verbcast-gl")) {
        if (program_.empty()) {
            throw Error(ErrorKind::Display, "this installation cannot draw: verbcast-gl is missing",
                        "install it, or build with -DVERBCAST_WINDOWS=ON");
        }
        if (options.source == "-") {
            throw Error(ErrorKind::Usage, "--source -: a file or pattern:NAME expected");
        }
    }

    void run() {
        const std::vector<PlannedRun> runs = plan(options_, usableTransports(options_, report_));
        count_ = runs.size() * options_.repeat;
        for (const PlannedRun& planned : runs) {
            std::vector<StageRun> repeats;
            for (std::uint32_t i = 0; i < options_.repeat && !interruptEvent().isSet(); ++i) {
                ++index_;
                if (auto measured = measure(planned)) {
                    repeats.push_back(std::move(*measured));
                }
            }
            addMedian(std::move(repeats));
        }
        if (!options_.fps && !report_.stages.empty()) {
            addNote(
                "without --fps the pipeline is kept full: 'wait for room', 'post' and 'queue' hold the "
                "wait for its slowest stage; --fps 60 shows a live stream");
        }
    }

  private:
    /// Nothing: interrupted before there was a frame.
    std::optional<StageRun> measure(const PlannedRun& planned) {
        progress_.step(index_, count_, planned.text());
        const nlohmann::json job = toJson(jobOf(planned, options_));
        const Burners burners(planned.load);
        try {
            Worker receiver(program_, "stages-receive", job);
            awaitProgress(receiver);
            Worker sender("", "stages-send", job);
            awaitProgress(sender);
            follow(planned, receiver);
            const nlohmann::json sent = sender.result(kPatience);
            for (const nlohmann::json& note : sent.at("notes")) {
                addNote(note);
            }
            return assemble(planned, sent, receiver.result(kPatience));
        } catch (const Error&) {
            if (interruptEvent().isSet()) {
                return std::nullopt;
            }
            throw;
        }
    }

    /// Until the receiver has its result; passes Ctrl-C on to it.
    void follow(const PlannedRun& planned, Worker& receiver) {
        bool told = false;
        for (nlohmann::json line; !(line = receiver.progress(kPatience)).is_null();) {
            progress_.step(
                index_, count_,
                fmt::format("{}: {} frames", planned.text(), line.at("frames").get<std::uint64_t>()));
            if (interruptEvent().isSet() && !std::exchange(told, true)) {
                receiver.interrupt();
            }
        }
    }

    /// Of several runs the one in the middle stands for them.
    void addMedian(std::vector<StageRun> repeats) {
        if (repeats.empty()) {
            return;
        }
        const auto middle = repeats.begin() + static_cast<std::ptrdiff_t>(repeats.size() / 2);
        std::nth_element(repeats.begin(), middle, repeats.end(),
                         [](const StageRun& a, const StageRun& b) { return a.total.p50 < b.total.p50; });
        report_.stages.push_back(std::move(*middle));
    }

    void addNote(const std::string& note) {
        if (std::find(report_.notes.begin(), report_.notes.end(), note) == report_.notes.end()) {
            report_.notes.push_back(note);
        }
    }

    const BenchOptions& options_;
    BenchReport& report_;
    BenchProgress& progress_;
    std::string program_;
    std::size_t index_ = 0, count_ = 0;
};

}  // namespace

void benchStages(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    StagesBench(options, report, progress).run();
}

}  // namespace verbcast
