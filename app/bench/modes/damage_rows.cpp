// A row of partially changing frames, in alternating runs: saying what changed, so that only that travels,
// and not saying it.
#include <fmt/format.h>

#include "app/bench/modes/frame_run.h"
#include "app/host/interrupt.h"

namespace verbcast {

bool measureDamageRow(const BenchOptions& options, const FrameCase& frames, BenchReport& report,
                      const std::function<void(const std::string&)>& say) {
    std::vector<FrameRow> told, whole;
    const auto measure = [&](bool tells, std::vector<FrameRow>& runs) {
        if (interruptEvent().isSet()) {
            return;
        }
        FrameCase each = frames;
        each.tellsDamage = tells;
        const std::string text =
            fmt::format("{}: {}", frames.text(), tells ? "what changed" : "whole frames");
        say(text);
        FrameRow row = runFrames(options, each, [&](std::uint64_t count, double) {
            say(fmt::format("{}: {} frames", text, count));
        });
        if (row.frames > 0 && row.seconds > 0) {
            runs.push_back(std::move(row));
        }
    };
    for (std::uint32_t i = 0; i < options.repeat; ++i) {
        measure(i % 2 == 0, i % 2 == 0 ? told : whole);
        measure(i % 2 != 0, i % 2 != 0 ? told : whole);
    }
    if (told.empty() || whole.empty()) {
        return false;
    }
    FrameRow row = medianRow(told);
    for (const FrameRow& run : told) {
        row.repeats.push_back(sampleOf(run));
    }
    const FrameRow beside = medianRow(whole);
    row.partial = PartialFrames{
        .percent = *options.damage,
        .movedBytes = row.bytesMovedPerFrame,
        .wholeMovedBytes = beside.bytesMovedPerFrame,
        .wholeFps = beside.fps,
        .cpuMicroseconds = sampleOf(row).cpuMicrosecondsPerFrame,
        .wholeCpuMicroseconds = sampleOf(beside).cpuMicrosecondsPerFrame,
        .wholeLatencyP50 = beside.tellsLatency() ? beside.latency.p50 : 0,
    };
    report.rows.push_back(std::move(row));
    return true;
}

}  // namespace verbcast
