#include "tests/bench/sample_report.h"

#include <limits>

namespace verbcast::testing {

FrameRow sampleRow(const std::string& transport, Verify verify, double gigabytesPerSecond) {
    FrameRow row;
    row.transport = transport;
    row.width = 3840;
    row.height = 2160;
    row.pixelFormat = "rgba";
    row.frameBytes = 3840ull * 2160 * 4;
    row.verify = verify;
    row.frames = 100;
    row.seconds = 2;
    row.gigabytesPerSecond = gigabytesPerSecond;
    row.fps = gigabytesPerSecond * 1e9 / static_cast<double>(row.frameBytes);
    row.latency = {.count = 100, .p50 = 120, .p99 = 340, .p999 = 560, .max = 561};
    row.distribution = {{100, 0.1}, {120, 0.5}, {340, 0.99}, {561, 1.0}};
    row.sender.userSeconds = 0.1;
    row.sender.systemSeconds = 0.05;
    row.sender.voluntarySwitches = 7;
    row.sender.systemCalls = 200;
    row.receiver.userSeconds = 0.2;
    row.receiver.systemSeconds = 0.01;
    row.pixelCopiesPerFrame = 2;
    row.limit = Limit{"plain TCP", 5, "checks <nothing>", ""};
    return row;
}

namespace {

void addChannels(BenchReport& report) {
    for (const std::uint64_t block : {4096ull, 1048576ull, 67108864ull}) {
        for (const std::uint32_t depth : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u}) {
            report.sweep.push_back({"tcp", block, depth, 1000, 1.5, {10, 20, 30, 40, 50}});
        }
    }
    report.fits = {{"tcp", 1, 12.5, 4.5, 56250, 0.998}};
    report.rpc = {{"tcp", 1, 64, 35000, {10, 28, 60, 80, 300}},
                  {"tcp", 256, 64, 180000, {10, 1400, 3000, 4000, 5000}}};
    ViewersRow alone;
    alone.transport = "tcp";
    alone.width = 320;
    alone.height = 180;
    alone.pixelFormat = "rgba";
    alone.offeredFps = 30;
    alone.viewers = 48;
    alone.frames = 90;
    alone.seconds = 3;
    alone.fps = 30;
    alone.latency = {4320, 2000, 8000, 9000, 9500};
    alone.sender.userSeconds = 0.45;
    alone.senderMemoryBytes = 40 << 20;
    ViewersRow beside = alone;
    beside.slow = SlowViewers::Stalled;
    beside.slowViewers = 16;
    beside.fps = 29.7;
    beside.latency.p99 = 8400;
    beside.departures = 1;
    compareWithoutSlow(beside, alone);
    report.viewers = {alone, beside};
}

void addRegistrations(BenchReport& report) {
    for (const std::uint32_t load : {0u, 4u}) {
        report.registrations.push_back({"rxe0", "4 KiB", load, 4096, 20, 10, 1});
        report.registrations.push_back({"rxe0", "4 KiB", load, 1 << 26, 900, 100, 4000});
    }
    report.crossovers = {{"rxe0", "4 KiB", 0, 1 << 20, 0.15}, {"rxe0", "4 KiB", 4, 0, 0.33}};
}

void addStages(BenchReport& report) {
    StageRun run;
    run.source = "file <clip> & \"more\".mp4";
    run.transport = "shm";
    run.renderer = "llvmpipe";
    run.width = 3840;
    run.height = 2160;
    run.pixelFormat = "yuv420p";
    run.fps = 60;
    run.frames = 600;
    run.stages = {{"decode", {600, 3000, 4000, 5000, 6000}}, {"wire", {600, 1000, 1500, 1600, 1700}}};
    run.total = {600, 4100, 5600, 6000, 7000};
    run.offeredFps = 60;
    run.inputToPicture = Percentiles{200, 18000, 52000, 53000, 54000};
    run.transfer = TransferCost{.parts = {{"read-back", {2000, 2100}, {2200, 3100}},
                                          {"hand-off", {100, 30}, {120, 60}},
                                          {"upload", {1900, 1950}, {2080, 2900}}},
                                .byProcessorTime = true};
    report.stages = {run};
    report.decoding = {{.decoder = "software",
                        .width = 3840,
                        .height = 2160,
                        .pixelFormat = "yuv420p",
                        .pictures = 100,
                        .seconds = 2,
                        .processorSeconds = 4,
                        .ffmpegSeconds = 4,
                        .ffmpegProcessorSeconds = 8},
                       {.decoder = "cuda",
                        .inGpuMemory = true,
                        .width = 3840,
                        .height = 2160,
                        .pixelFormat = "nv12",
                        .pictures = 100,
                        .seconds = 1,
                        .processorSeconds = 0.1,
                        .ffmpegUnavailable = "ffmpeg is not installed"}};
    report.av = {{.transport = "shm",
                  .width = 1920,
                  .height = 1080,
                  .pixelFormat = "rgba",
                  .offeredFps = 60,
                  .device = "pipewire:nowhere",
                  .askedOffsetMs = 40,
                  .seconds = 6,
                  .offsetsMs = {39, 41, -44, 42},
                  .missedFlashes = 1,
                  .missedPips = 2,
                  .startsMs = {40, 41.5},
                  .soundAfterPictureMs = {140, 150},
                  .monitorDelayMs = 5.333,
                  .displayHz = 60,
                  .flashResolutionMs = 0.5,
                  .viewerSound = R"({"playback": {"offset_us": {"p50": 250, "max": 1500}, "held_ms": 85.5,
                                                  "underruns": 3}})"}};
}

}  // namespace

BenchReport sampleReport() {
    BenchReport report;
    report.machine = {.processor = "Example <CPU> & Co",
                      .processors = 2,
                      .memoryBytes = 1ull << 34,
                      .kernel = "Linux 6.1",
                      .compiler = "gcc 12",
                      .verbcast = "0.1.0",
                      .ffmpeg = "libavcodec 59",
                      .rdmaCore = "rdma-core 44.0",
                      .startedAt = "2026-01-02T03:04:05Z",
                      .commandLine = "verbcast bench --json 'a \"b\".json'"};
    report.notes = {"verbs is left out: no RDMA device"};
    report.limits = {{"memcpy", 16.1, "one thread", ""}, {"iperf3", 0, "", "not installed"}};
    report.rows = {sampleRow("tcp", Verify::Full, 4.5), sampleRow("shm", Verify::Header, 497)};
    report.rows[0].repeats = {
        {135, 4.4, 119, 330, 3500}, {136, 4.5, 120, 340, 3600}, {137, 4.6, 121, 350, 3700}};
    report.rows[1].limit.reset();
    report.rows[1].offeredFps = 60;
    report.rows[1].wakeUp = WakeUp{.latency = {.count = 100, .p50 = 60, .p99 = 170}, .cpuMicroseconds = 100};
    addChannels(report);
    addRegistrations(report);
    addStages(report);
    return report;
}

BenchReport numberlessReport() {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    BenchReport report = sampleReport();
    for (FrameRow& row : report.rows) {
        row.frames = 0;
        row.latency = {.count = 0, .p50 = kNan, .p99 = kInfinite, .p999 = kNan, .max = -kInfinite};
        row.fps = row.gigabytesPerSecond = kInfinite;
        row.jitterUs = row.pixelCopiesPerFrame = kNan;
        row.distribution = {{kNan, 0.5}, {10, kNan}, {-1, 2}};
        row.repeats = {{kNan, kNan, kNan, kNan, kNan}, {1, 1, 1, 1, 1}};
    }
    report.limits[0].gigabytesPerSecond = kNan;
    for (SweepPoint& point : report.sweep) {
        point.gigabytesPerSecond = point.blocksPerSecond = kNan;
    }
    report.fits = {{"tcp", 1, kNan, kInfinite, 0, kNan}};
    for (RegisterPoint& point : report.registrations) {
        point.copyUs = 0;
        point.registerUs = kNan;
    }
    report.crossovers[0].registerSecondsPerGib = kNan;
    report.viewers[1].fpsRatio = report.viewers[1].p99Ratio = kNan;
    report.viewers[0].fps = kInfinite;
    report.viewers[0].frames = 0;
    for (RpcPoint& point : report.rpc) {
        point.callsPerSecond = 0;
        point.latency.p99 = kNan;
    }
    report.stages[0].stages[0].time.p50 = kNan;
    report.stages[0].total.p99 = kInfinite;
    report.stages[0].fps = kNan;
    report.stages[0].transfer->parts[0].pipeline = {kNan, kInfinite};
    report.stages[0].transfer->parts[1].alone = {0, kNan};
    report.stages[0].inputToPicture->p50 = kNan;
    return report;
}

}  // namespace verbcast::testing
