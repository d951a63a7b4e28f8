// bench stages: one process decodes or draws and sends; another receives, uploads, draws and reads back. The
// second is verbcast-gl, since this program does not load OpenGL; so is the first if it renders a scene.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "app/bench/modes/frame_run.h"
#include "app/bench/workers/bench_transports.h"
#include "app/bench/workers/stages/stages_job.h"
#include "app/host/helper_program.h"
#include "core/base/text/counted.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

struct PlannedRun {
    std::string scheme;
    std::uint32_t load;
    std::optional<PictureSize> size;
    std::optional<PixelFormat> pixelFormat;

    std::string text() const {
        std::string words = scheme;
        if (size) {
            words += fmt::format(" {}x{}", size->width, size->height);
        }
        if (pixelFormat) {
            words += fmt::format(" {}", pixelFormatName(*pixelFormat));
        }
        return load > 0 ? words + fmt::format(", {} loaded", counted(load, "processor")) : words;
    }
};

/// A file keeps its own size and format unless told otherwise; a pattern has none of its own; a scene has no
/// size, and OpenGL decides the format it is read back in.
std::vector<PlannedRun> plan(const BenchOptions& options, const std::vector<std::string>& transports) {
    const bool pattern = options.source == "pattern" || options.source.starts_with("pattern:");
    const bool drawn = pattern || sceneOf(options.source);
    std::vector<std::optional<PictureSize>> sizes(options.sizes.begin(), options.sizes.end());
    if (sizes.empty()) {
        sizes = {drawn ? std::optional(kFrameSize) : std::nullopt};
    }
    std::vector<std::optional<PixelFormat>> formats{std::nullopt};
    if (pattern || options.formatGiven) {
        formats.assign(options.formats.begin(), options.formats.end());
    }
    std::vector<PlannedRun> runs;
    for (const std::string& scheme : transports) {
        for (const auto& size : sizes) {
            for (const auto& pixelFormat : formats) {
                for (const std::uint32_t load : options.loads()) {
                    runs.push_back({scheme, load, size, pixelFormat});
                }
            }
        }
    }
    return runs;
}

StagesJob jobOf(const PlannedRun& run, const BenchOptions& options) {
    StagesJob job{static_cast<const BenchRunOptions&>(options)};
    job.address = freshAddress(run.scheme, options);
    job.source = options.source;
    job.pixelFormat = run.pixelFormat;
    job.size = run.size;
    job.readBack = options.readBack;
    job.input = options.input;
    return job;
}

/// What the two processes of a pipeline reported.
struct PipelineResult {
    nlohmann::json sent, received;
};

StageRun assemble(const PlannedRun& run, const BenchOptions& options, const PipelineResult& result) {
    const nlohmann::json &sent = result.sent, &received = result.received;
    StageRun stages;
    stages.source = sent.at("source");
    stages.transport = run.scheme;
    stages.renderer = received.at("renderer");
    stages.width = received.at("width");
    stages.height = received.at("height");
    stages.pixelFormat = received.at("pixel_format");
    stages.load = run.load;
    stages.offeredFps = options.fps ? options.fps->value() : 0;
    stages.fps = received.at("fps");
    stages.frames = received.at("frames");
    stages.framesDropped = received.at("frames_dropped");
    stages.stages = sent.at("stages").get<std::vector<StageRun::Stage>>();
    std::ranges::copy(received.at("stages").get<std::vector<StageRun::Stage>>(),
                      std::back_inserter(stages.stages));
    if (options.deviceMemory) {
        const auto copies = [&](const char* by) {
            return sent.at("copies").at(by).get<double>() + received.at("copies").at(by).get<double>();
        };
        stages.copies = StageCopies{.byProcessor = copies("processor"),
                                    .withinGpu = copies("gpu"),
                                    .device = {.overPcie = copies("pcie"), .toHost = {}, .toDevice = {}}};
    }
    stages.total = received.at("total");
    stages.inputToPicture = received.at("input_to_picture").get<std::optional<Percentiles>>();
    return stages;
}

/// Costs of the parts of a picture's transfer while nothing else works.
struct AloneCosts {
    PartCost readBack, handOff, upload;
};

TransferCost transferCost(const AloneCosts& alone, const PipelineResult& pipeline, bool keptFull) {
    const nlohmann::json& sent = pipeline.sent.at("costs");
    const nlohmann::json& received = pipeline.received.at("costs");
    // Both ends take part in the hand-off; the receiver measures the time between them.
    PartCost handOff = received.at("hand_off");
    handOff.cpuUs += sent.at("hand_off_cpu_us").get<double>();
    return {.parts = {{"read-back", alone.readBack, sent.at("read_back")},
                      {"hand-off", alone.handOff, handOff},
                      {"upload", alone.upload, received.at("upload")}},
            .byProcessorTime = pipeline.received.at("draws_on_processors"),
            .keptFull = keptFull};
}

class StagesBench {
  public:
    StagesBench(const BenchOptions& options, BenchReport& report, BenchProgress& progress)
        : options_(options), report_(report), progress_(progress), program_(helperProgram("verbcast-gl")) {
        if (program_.empty()) {
            throw Error(ErrorKind::Display, "this installation cannot draw: verbcast-gl is missing",
                        "install it, or build with -DVERBCAST_OPENGL=ON");
        }
        if (options.source == "-") {
            throw Error(ErrorKind::Usage, "--source -: a file, pattern:NAME or scene:NAME expected");
        }
        if (options.deviceMemory) {
            report.notes.push_back("the rings of both ends are in the memory of " +
                                   gpuAllocator(chosenGpu())->deviceName());
        }
        if (scene_ && options.formatGiven) {
            throw Error(ErrorKind::Usage, "--format: a scene is sent in the format that OpenGL reads fastest",
                        "leave --format out");
        }
    }

    void run() {
        const std::vector<PlannedRun> runs = plan(options_, usableTransports(options_, report_));
        count_ = runs.size() * options_.repeat;
        for (const PlannedRun& planned : runs) {
            std::vector<StageRun> repeats;
            for (std::uint32_t i = 0; i < options_.repeat && !interruptEvent().isSet(); ++i) {
                ++index_;
                if (auto measured = measure(planned); measured && measured->frames > 0) {
                    repeats.push_back(std::move(*measured));
                }
            }
            if (!repeats.empty()) {
                report_.stages.push_back(medianBy(std::move(repeats), [](const StageRun& run) {
                    return run.transfer ? run.transfer->ratio() : run.total.p50;
                }));
            }
        }
        if (!options_.fps && !report_.stages.empty()) {
            addNote(
                "without --fps the pipeline is kept full: 'wait for room', 'post' and 'queue' hold the "
                "wait for its slowest stage; --fps 60 shows a live stream");
        }
    }

  private:
    /// Returns nullopt if interrupted before the first frame.
    std::optional<StageRun> measure(const PlannedRun& planned) {
        const Burners burners(planned.load);
        std::optional<StageRun> run;
        unlessInterrupted([&] { run = scene_ ? measureScene(planned) : measurePipeline(planned); });
        return run;
    }

    StageRun measurePipeline(const PlannedRun& planned) {
        const PipelineResult pipeline = runPipeline(planned);
        StageRun run = assemble(planned, options_, pipeline);
        addGpuLimits(planned, run, pipeline);
        return run;
    }

    void addGpuLimits(const PlannedRun& planned, StageRun& run, const PipelineResult& pipeline) {
        if (run.copies && !interruptEvent().isSet()) {
            say(planned, "cuMemcpy");
            const LimitJob job = limitJobFor(options_, pipeline.received.at("frame_bytes"));
            run.copies->device.toHost = measureCopyToHost(job);
            run.copies->device.toDevice = measureCopyToDevice(job);
        }
    }

    /// Measures each part alone, in its process of the pipeline, and then the pipeline.
    std::optional<StageRun> measureScene(const PlannedRun& planned) {
        AloneCosts alone;
        StagesJob job = jobOf(planned, options_);
        const nlohmann::json readBack = runAlone(planned, "read-back", "stages-read-back", job);
        alone.readBack = readBack.at("read_back");
        job.pixelFormat = readBack.at("pixel_format").get<PixelFormat>();
        const nlohmann::json upload = runAlone(planned, "upload", "stages-upload", job);
        alone.upload = upload.at("upload");
        if (interruptEvent().isSet()) {
            return std::nullopt;
        }
        const PipelineResult pipeline = runPipeline(planned);
        StageRun run = assemble(planned, options_, pipeline);
        if (!interruptEvent().isSet()) {
            if (const std::string path = pipeline.received.at("upload_path"); path != upload.at("path")) {
                addNote(
                    fmt::format("the upload went by {} alone and by {} in the pipeline: each process "
                                "picks what is faster when it begins",
                                upload.at("path").get<std::string>(), path));
            }
            alone.handOff = handOffAlone(planned, run);
        }
        addGpuLimits(planned, run, pipeline);
        if (!interruptEvent().isSet()) {
            run.transfer = transferCost(alone, pipeline, !options_.fps);
        }
        return run;
    }

    PipelineResult runPipeline(const PlannedRun& planned) {
        say(planned, "");
        const nlohmann::json job = jobOf(planned, options_);
        Worker receiver(program_, "stages-receive", job);
        receiver.awaitProgress();
        Worker sender(scene_ ? program_ : "", "stages-send", job);
        sender.awaitProgress();
        follow(planned, "", receiver);
        PipelineResult result;
        result.sent = sender.result(kWorkerPatience);
        result.received = receiver.result(kWorkerPatience);
        for (const nlohmann::json& note : result.sent.at("notes")) {
            addNote(note);
        }
        return result;
    }

    nlohmann::json runAlone(const PlannedRun& planned, const std::string& what, const std::string& role,
                            const StagesJob& job) {
        say(planned, what);
        Worker worker(program_, role, job);
        follow(planned, what, worker);
        return worker.result(kWorkerPatience);
    }

    /// Sends frames that are not drawn, read back or uploaded, at the pipeline's rate.
    PartCost handOffAlone(const PlannedRun& planned, const StageRun& run) {
        say(planned, "hand-off");
        BenchOptions options = options_;
        options.verify = Verify::None;
        options.fps = Rational{std::max(1000, static_cast<std::int32_t>(std::lround(run.fps * 1000))), 1000};
        const FrameRow row =
            runFrames(options,
                      {.scheme = planned.scheme,
                       .size = {run.width, run.height},
                       .pixelFormat = pixelFormatByName(run.pixelFormat).value_or(PixelFormat::rgba)},
                      [](std::uint64_t, double) {});
        const double cpuSeconds = row.sender.seconds() + row.receiver.seconds();
        return {.cpuUs = cpuSeconds * 1e6 / static_cast<double>(row.frames), .wallUs = row.latency.p50};
    }

    void say(const PlannedRun& planned, const std::string& part, std::uint64_t frames = 0) {
        std::string text = planned.text() + (part.empty() ? "" : ", " + part + " alone");
        progress_.step(index_, count_,
                       frames > 0 ? fmt::format("{}: {}", text, counted(frames, "frame")) : text);
    }

    /// Follows the worker until it has its result; passes on Ctrl-C.
    void follow(const PlannedRun& planned, const std::string& part, Worker& worker) {
        bool told = false;
        for (nlohmann::json line; !(line = worker.progress(kWorkerPatience)).is_null();) {
            say(planned, part, line.at("frames").get<std::uint64_t>());
            if (interruptEvent().isSet() && !std::exchange(told, true)) {
                worker.interrupt();
            }
        }
    }

    void addNote(const std::string& note) {
        if (std::ranges::find(report_.notes, note) == report_.notes.end()) {
            report_.notes.push_back(note);
        }
    }

    const BenchOptions& options_;
    BenchReport& report_;
    BenchProgress& progress_;
    bool scene_ = sceneOf(options_.source).has_value();
    std::string program_;
    std::size_t index_ = 0, count_ = 0;
};

}  // namespace

void benchStages(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    StagesBench(options, report, progress).run();
}

}  // namespace verbcast
