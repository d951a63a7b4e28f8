// A row of the report: repeated runs, alternating with what they are compared with.
#include <fmt/format.h>

#include <algorithm>

#include "app/bench/modes/frame_run.h"

namespace verbcast {
namespace {

void addNote(Limit& limit, const std::string& note) {
    limit.note += (limit.note.empty() ? "" : "; ") + note;
}

bool slowerLimit(const Limit& a, const Limit& b) {
    return a.gigabytesPerSecond < b.gigabytesPerSecond;
}

/// Whether the row is faster than what should limit it.
bool isDoubtful(const FrameRow& row) {
    constexpr double kMostRatio = 1.1;
    return !row.handsOver() && row.ratioToLimit() > kMostRatio;
}

/// Adds what a reader must know to compare this row with its limit. `checks`: RowLimit::checks.
void explain(Limit& limit, const FrameRow& row, bool checks) {
    if (!limit.unavailable.empty()) {
        return;
    }
    if (row.handsOver()) {
        addNote(limit, "the row is a hand-off rate, no pixel is touched");
    } else if (row.device) {
        addNote(limit,
                checks
                    ? "the row also copies each frame into the GPU and out of it"
                    : "the row also makes each frame on the processor, copies it in and checks it there, as "
                      "its --verify says");
    } else if (row.verify == Verify::Full && !checks) {
        addNote(limit, "the row also writes and checks every byte, its limit does not");
    }
    if (row.offeredFps > 0) {
        addNote(limit, fmt::format("the row's rate was given: {:g} fps", row.offeredFps));
    }
    if (row.streams > 1) {
        addNote(limit, "the row has several streams, its limit one");
    } else if (isDoubtful(row)) {
        addNote(
            limit,
            "the row is faster than its limit, even after that was measured again: the ratio means nothing");
    }
}

RunSample sampleOf(const FrameRow& row) {
    const double cpu = row.sender.seconds() + row.receiver.seconds();
    return {.fps = row.fps,
            .gigabytesPerSecond = row.gigabytesPerSecond,
            .latencyP50 = row.latency.p50,
            .latencyP99 = row.latency.p99,
            .cpuMicrosecondsPerFrame = row.frames > 0 ? cpu * 1e6 / static_cast<double>(row.frames) : 0};
}

FrameRow medianRow(const std::vector<FrameRow>& runs) {
    FrameRow row = medianBy(runs, &FrameRow::gigabytesPerSecond);
    std::ranges::transform(runs, std::back_inserter(row.repeats), sampleOf);
    return row;
}

Limit medianLimit(const std::vector<Limit>& runs) {
    return medianBy(runs, &Limit::gigabytesPerSecond);
}

}  // namespace

bool measureRow(const BenchOptions& options, const FrameCase& frames, BenchReport& report, const Say& say) {
    // Many streams share the memory, whatever the transport; frames of one GPU leave it by no network over
    // shm.
    const Transport& transport = *findTransport(frames.scheme);
    const bool withinGpu = options.deviceMemory && transport.sharesMemory;
    const RowLimit reference = withinGpu        ? RowLimit{}
                               : frames.intoOne ? RowLimit{measureMemcpy, false}
                                                : limitOf(transport, options.verify);
    std::vector<FrameRow> runs;
    std::vector<WakeUp> wakeUps;
    std::vector<Limit> limits, seals, opens, toHost, toDevice;
    const LimitJob limitJob = limitJobFor(options, frames.frameBytes());
    const auto live = [&](std::uint64_t count, double rate) {
        say(fmt::format("{}: {} frames, {:.2f} GB/s", frames.text(), count, rate));
    };
    for (std::uint32_t i = 0; i < options.repeat && !interruptEvent().isSet(); ++i) {
        say(frames.text());
        FrameRow row = runFrames(options, frames, live);
        if (row.frames > 0 && row.seconds > 0) {
            runs.push_back(std::move(row));
        }
        if (options.deviceMemory && !interruptEvent().isSet()) {
            say(frames.text() + ": cuMemcpy");
            toHost.push_back(measureCopyToHost(limitJob));
            toDevice.push_back(measureCopyToDevice(limitJob));
            if (withinGpu) {
                limits.push_back(std::min(toHost.back(), toDevice.back(), slowerLimit));
            }
        }
        if (!withinGpu && !interruptEvent().isSet()) {
            say(frames.text() + ": its limit");
            limits.push_back(reference.measure(limitJob));
        }
        if (options.encrypt && !interruptEvent().isSet()) {
            say(frames.text() + ": openssl speed");
            auto [seal, open] = measureCipher(limitJob);
            seals.push_back(std::move(seal));
            opens.push_back(std::move(open));
        }
        if (transport.sharesMemory && options.fps && !options.poll && !options.deviceMemory &&
            !interruptEvent().isSet()) {
            say(frames.text() + ": a bare wake-up");
            if (const auto wakeUp = measureWakeUp(limitJob, options.fps->value())) {
                wakeUps.push_back(*wakeUp);
            }
        }
    }
    if (runs.empty()) {
        return false;
    }
    FrameRow row = medianRow(runs);
    if (!limits.empty()) {
        row.limit = medianLimit(limits);
        if (reference.measure != nullptr && isDoubtful(row) && !interruptEvent().isSet()) {
            say(frames.text() + ": its limit again");
            row.limit = std::max(*row.limit, reference.measure(limitJob), slowerLimit);
        }
        explain(*row.limit, row, reference.checks);
        Limit listed = *row.limit;
        listed.name += ", " + frames.pictureText();
        std::erase_if(report.limits, [&](const Limit& other) { return other.name == listed.name; });
        report.limits.push_back(std::move(listed));
    }
    if (row.device && !toHost.empty()) {
        row.device->toHost = medianLimit(toHost);
        row.device->toDevice = medianLimit(toDevice);
    }
    if (row.cipher && !seals.empty()) {
        row.cipher->seal = medianLimit(seals);
        row.cipher->open = medianLimit(opens);
    }
    if (!wakeUps.empty()) {
        row.wakeUp = medianBy(wakeUps, [](const WakeUp& wakeUp) { return wakeUp.latency.p50; });
    }
    report.rows.push_back(std::move(row));
    return true;
}

bool measureDamageRow(const BenchOptions& options, const FrameCase& frames, BenchReport& report,
                      const Say& say) {
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
