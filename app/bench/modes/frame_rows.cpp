// A row of the report: repeated runs, alternating with the limit that they are compared with.
#include <fmt/format.h>

#include <algorithm>

#include "app/bench/modes/frame_run.h"
#include "app/host/interrupt.h"

namespace verbcast {
namespace {

template <typename T, typename Rate>
T medianBy(std::vector<T> runs, Rate&& rate) {
    std::sort(runs.begin(), runs.end(), [&](const T& a, const T& b) { return rate(a) < rate(b); });
    return runs[runs.size() / 2];
}

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

}  // namespace

RunSample sampleOf(const FrameRow& row) {
    const double cpu = row.sender.seconds() + row.receiver.seconds();
    return {.fps = row.fps,
            .gigabytesPerSecond = row.gigabytesPerSecond,
            .latencyP50 = row.latency.p50,
            .latencyP99 = row.latency.p99,
            .cpuMicrosecondsPerFrame = row.frames > 0 ? cpu * 1e6 / static_cast<double>(row.frames) : 0};
}

FrameRow medianRow(std::vector<FrameRow> runs) {
    return medianBy(std::move(runs), [](const FrameRow& run) { return run.gigabytesPerSecond; });
}

LimitJob limitJobFor(const BenchOptions& options, const FrameCase& frames) {
    return {.frameBytes = frames.frameBytes(),
            .slots = options.slots,
            .frames = options.frames,
            .seconds = options.seconds,
            .pin = options.pin,
            .device = options.device};
}

Limit medianLimit(std::vector<Limit> runs) {
    return medianBy(std::move(runs), [](const Limit& limit) { return limit.gigabytesPerSecond; });
}

bool measureRow(const BenchOptions& options, const FrameCase& frames, BenchReport& report,
                const std::function<void(const std::string&)>& say) {
    // Many streams share the memory, whatever the transport; frames of one GPU leave it by no network over
    // shm.
    const Transport& transport = *findTransport(frames.scheme);
    const bool withinGpu = options.deviceMemory && transport.sharesMemory;
    const RowLimit reference = withinGpu        ? RowLimit{}
                               : frames.intoOne ? RowLimit{measureMemcpy, false}
                                                : limitOf(transport, options.verify);
    std::vector<FrameRow> runs;
    std::vector<Limit> limits;
    std::vector<WakeUp> wakeUps;
    std::vector<Limit> seals, opens, toHost, toDevice;
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
            auto [fromGpu, toGpu] = measureGpuCopies(limitJobFor(options, frames));
            if (withinGpu) {
                limits.push_back(std::min(fromGpu, toGpu, slowerLimit));
            }
            toHost.push_back(std::move(fromGpu));
            toDevice.push_back(std::move(toGpu));
        }
        if (!withinGpu && !interruptEvent().isSet()) {
            say(frames.text() + ": its limit");
            limits.push_back(reference.measure(limitJobFor(options, frames)));
        }
        if (options.encrypt && !interruptEvent().isSet()) {
            say(frames.text() + ": openssl speed");
            auto [seal, open] = measureCipher(limitJobFor(options, frames));
            seals.push_back(std::move(seal));
            opens.push_back(std::move(open));
        }
        if (transport.sharesMemory && options.fps && !options.poll && !options.deviceMemory &&
            !interruptEvent().isSet()) {
            say(frames.text() + ": a bare wake-up");
            if (const auto wakeUp = measureWakeUp(limitJobFor(options, frames), options.fps->value())) {
                wakeUps.push_back(*wakeUp);
            }
        }
    }
    if (runs.empty()) {
        return false;
    }
    FrameRow row = medianRow(runs);
    for (const FrameRow& run : runs) {
        row.repeats.push_back(sampleOf(run));
    }
    if (!limits.empty()) {
        row.limit = medianLimit(limits);
        if (reference.measure != nullptr && isDoubtful(row) && !interruptEvent().isSet()) {
            say(frames.text() + ": its limit again");
            row.limit = std::max(*row.limit, reference.measure(limitJobFor(options, frames)), slowerLimit);
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

}  // namespace verbcast
