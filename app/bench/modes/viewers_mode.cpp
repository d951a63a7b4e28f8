// bench viewers: sends one stream to many viewers and measures what slow ones cost those that keep up.
#include <fmt/format.h>

#include <limits>

#include "app/bench/modes/bench_modes.h"
#include "app/bench/workers/bench_transports.h"
#include "app/bench/workers/frame_job.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr double kSlowShare = 0.01;  // fraction of the rate
constexpr auto kEndPatience = 30s;   // for results, after all frames were sent

struct ViewersCase {
    std::string scheme;
    PictureSize size{};
    PixelFormat pixelFormat = PixelFormat::rgba;
    SlowViewers slow = SlowViewers::None;
    std::string text(const BenchOptions& options) const {
        return fmt::format("{} {}x{} {}, {} viewers{}", scheme, size.width, size.height,
                           pixelFormatName(pixelFormat), options.viewers - options.slowViewers,
                           slow == SlowViewers::None
                               ? ""
                               : fmt::format(" and {} that {}", options.slowViewers, slowViewersText(slow)));
    }
};

ViewersRow emptyRow(const BenchOptions& options, const ViewersCase& viewers) {
    ViewersRow row;
    row.transport = viewers.scheme;
    row.width = viewers.size.width;
    row.height = viewers.size.height;
    row.pixelFormat = pixelFormatName(viewers.pixelFormat);
    row.offeredFps = options.fps->value();
    row.slots = options.slots;
    row.viewers = options.viewers - options.slowViewers;
    row.slow = viewers.slow;
    row.slowViewers = viewers.slow == SlowViewers::None ? 0 : options.slowViewers;
    return row;
}

void addViewers(ViewersRow& row, const std::vector<ReceiverResult>& results,
                const ViewersSenderResult& sent) {
    LatencyHistogram latency;
    row.fps = std::numeric_limits<double>::infinity();
    for (const ReceiverResult& viewer : results) {
        row.fps = std::min(row.fps, static_cast<double>(viewer.frames) / sent.seconds);
        row.framesMissed += sent.sender.offered - std::min(sent.sender.offered, viewer.frames);
        row.framesCorrupt += viewer.corrupt;
        latency.merge(viewer.latency);
    }
    row.latency = latency.percentiles();
}

ViewersRow runViewers(const BenchOptions& options, const ViewersCase& viewers) {
    ViewersRow row = emptyRow(options, viewers);
    ViewersJob job{.frame = {}, .viewers = row.viewers + row.slowViewers};
    job.frame.address = freshAddress(viewers.scheme, options);
    job.frame.size = viewers.size;
    job.frame.pixelFormat = viewers.pixelFormat;
    job.frame.fps = options.fps;
    job.frame.seconds = options.seconds;
    job.frame.verify = options.verify;
    job.frame.slots = options.slots;
    Worker sender("", "viewers-send", job);
    sender.progress(kFramePatience);  // it is listening
    job.viewers = row.viewers;
    Worker keepingUp("", "viewers-receive", job);
    std::optional<Worker> slow;
    if (row.slowViewers > 0) {
        job.viewers = row.slowViewers;
        job.takesFps = viewers.slow == SlowViewers::Stalled ? 0 : options.fps->value() * kSlowShare;
        slow.emplace("", "viewers-receive", job);
    }
    bool told = false;
    while (!sender.finished()) {
        if (!told && interruptEvent().isSet()) {
            told = true;
            sender.interrupt();
        }
        sender.progress(100ms);
        keepingUp.progress(0ns);
        if (keepingUp.finished() && !sender.finished()) {
            keepingUp.result(0ns);  // it may have failed: report that now
        }
    }
    const ViewersSenderResult sent = sender.result(0ns);
    keepingUp.interrupt();
    if (slow) {
        slow->interrupt();
    }
    addViewers(row, keepingUp.result(kEndPatience), sent);
    row.seconds = sent.seconds;
    row.frames = sent.sender.offered;
    row.sender = sent.sender.cpu;
    row.senderMemoryBytes = sent.memoryBytes;
    row.departures = sent.departures;
    if (slow) {
        for (const auto& viewer : slow->result(kEndPatience).get<std::vector<ReceiverResult>>()) {
            row.slowFrames += viewer.frames;
            row.framesCorrupt += viewer.corrupt;
        }
    }
    return row;
}

/// Alternates all kinds, so that other activity on the machine affects all of them.
void measureKinds(const BenchOptions& options, std::vector<ViewersCase> cases, BenchReport& report,
                  const Say& say) {
    std::vector<std::vector<ViewersRow>> runs(cases.size());
    for (std::uint32_t turn = 0; turn < options.repeat; ++turn) {
        for (std::size_t i = 0; i < cases.size(); ++i) {
            say(cases[i].text(options));
            unlessInterrupted([&] { runs[i].push_back(runViewers(options, cases[i])); });
            if (interruptEvent().isSet()) {
                break;
            }
        }
    }
    const std::size_t first = report.viewers.size();
    for (const std::vector<ViewersRow>& kind : runs) {
        if (!kind.empty()) {
            report.viewers.push_back(medianBy(kind, [](const ViewersRow& run) { return run.latency.p99; }));
            compareWithoutSlow(report.viewers.back(), report.viewers[first]);
        }
    }
}

}  // namespace

void compareWithoutSlow(ViewersRow& row, const ViewersRow& without) {
    if (row.slowViewers == 0) {
        return;
    }
    row.fpsRatio = row.fps / without.fps;
    row.p99Ratio = row.latency.hasP99() && without.latency.hasP99()
                       ? row.latency.p99 / without.latency.p99
                       : std::numeric_limits<double>::quiet_NaN();
    row.cpuRatio = row.cpuMicroseconds() / without.cpuMicroseconds();
    row.memoryRatio =
        static_cast<double>(row.senderMemoryBytes) / static_cast<double>(without.senderMemoryBytes);
}

void benchViewers(const BenchOptions& asked, BenchReport& report, BenchProgress& progress) {
    BenchOptions options = asked;
    options.fps = asked.fps.value_or(Rational{30, 1});
    std::vector<std::vector<ViewersCase>> all;
    for (const std::string& scheme : usableTransports(options, report)) {
        for (const PixelFormat format : options.formats) {
            for (const PictureSize& size : options.sizesOr({{320, 180}})) {
                ViewersCase one{.scheme = scheme, .size = size, .pixelFormat = format};
                std::vector<ViewersCase> kinds{one};
                for (const SlowViewers slow : {SlowViewers::Stalled, SlowViewers::Hundredth}) {
                    if (options.slowViewers > 0) {
                        one.slow = slow;
                        kinds.push_back(one);
                    }
                }
                all.push_back(std::move(kinds));
            }
        }
    }
    const Burners burners(options.load);
    std::size_t done = 0;
    for (const std::vector<ViewersCase>& kinds : all) {
        if (interruptEvent().isSet()) {
            return;
        }
        measureKinds(options, kinds, report, [&](const std::string& text) {
            progress.step(++done, all.size() * kinds.size() * options.repeat, text);
        });
    }
}

}  // namespace verbcast
