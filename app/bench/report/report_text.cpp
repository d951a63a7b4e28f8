#include "app/bench/report/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text/counted.h"

namespace verbcast {

std::string figureText(double value) {
    if (!std::isfinite(value)) {
        return "-";
    }
    const double size = std::abs(value);
    if (size == 0) {
        return "0";
    }
    // Thresholds are where rounding would add a digit: 9.996 becomes "10.0", not "10.00".
    if (size < 0.09995) {
        return fmt::format("{:.3g}", value);
    }
    return size < 9.995 ? fmt::format("{:.2f}", value)
                        : (size < 99.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value));
}

std::string p999Text(const Percentiles& percentiles) {
    return percentiles.hasP999() ? figureText(percentiles.p999) : "-";
}

std::string fixedText(double value, int digits) {
    return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

std::string bytesText(std::uint64_t bytes) {
    constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) {
        value /= 1024;
    }
    return value == std::floor(value) ? fmt::format("{:.0f} {}", value, kUnits[unit])
                                      : fmt::format("{:.{}f} {}", value, value < 100 ? 1 : 0, kUnits[unit]);
}

std::string countText(double value) {
    if (std::isfinite(value) && value >= 999.5) {
        return value >= 999.5e3 ? figureText(value / 1e6) + "M" : figureText(value / 1e3) + "k";
    }
    return figureText(value);
}

std::string verifiedText(Verify verify) {
    return verify == Verify::Full ? "full" : fmt::format("{}: pixels not touched", verifyName(verify));
}

std::string offeredText(double offeredFps) {
    return offeredFps > 0 ? fmt::format("{:.6g} fps offered", offeredFps) : "as fast as possible";
}

std::string rowName(const FrameRow& row) {
    return fmt::format("{} {}x{} {}", row.transport, row.width, row.height, row.pixelFormat);
}

std::string rowConditions(const FrameRow& row) {
    std::string text = offeredText(row.offeredFps);
    if (row.intoOne) {
        text += fmt::format(", {} into one process", counted(row.streams, "stream"));
    } else if (row.streams != 1) {
        text += fmt::format(", {} streams", row.streams);
    }
    if (row.device) {
        text += ", in GPU memory";
    }
    if (row.poll) {
        text += ", polling";
    }
    if (row.load != 0) {
        text += ", " + loadText(row.load);
    }
    return text;
}

std::string deviceText(const DeviceCopies& device) {
    const auto speed = [](const Limit& limit) {
        return limit.unavailable.empty() ? figureText(limit.gigabytesPerSecond) + " GB/s"
                                         : "not measured (" + limit.unavailable + ")";
    };
    return fmt::format("{} copies of a frame over PCIe; cuMemcpy to host {}, to device {}",
                       fixedText(device.overPcie, 2), speed(device.toHost), speed(device.toDevice));
}

std::string copiesText(const StageCopies& copies) {
    return fmt::format("in GPU memory: {} copies of a frame by the processors, {} within the GPU, {}",
                       fixedText(copies.byProcessor, 2), fixedText(copies.withinGpu, 2),
                       deviceText(copies.device));
}

std::string intoOneText(const FrameRow& row) {
    const auto [least, most] = std::minmax_element(row.fpsOfEach.begin(), row.fpsOfEach.end());
    std::string text =
        row.fpsOfEach.empty() ? "" : fmt::format("{} to {} fps each", figureText(*least), figureText(*most));
    if (row.receiverTimesOne > 0) {
        text +=
            fmt::format("; the receiver's CPU is {} times one stream's", fixedText(row.receiverTimesOne, 2));
    }
    return text;
}

std::string_view slowViewersText(SlowViewers slow) {
    switch (slow) {
        case SlowViewers::None:
            return "keep up";
        case SlowViewers::Stalled:
            return "stall";
        case SlowViewers::Hundredth:
            return "take 1 in 100";
    }
    return "";
}

std::string slowText(const ViewersRow& row) {
    return fmt::format("{} that {}", row.slowViewers, slowViewersText(row.slow));
}

void compareWithoutSlow(ViewersRow& row, const ViewersRow& without) {
    if (row.slowViewers == 0) {
        return;
    }
    row.fpsRatio = row.fps / without.fps;
    row.p99Ratio = row.latency.hasP99() && without.latency.hasP99()
                       ? row.latency.p99 / without.latency.p99
                       : std::numeric_limits<double>::quiet_NaN();
    row.cpuRatio = cpuMicrosecondsPerFrame(row) / cpuMicrosecondsPerFrame(without);
    row.memoryRatio =
        static_cast<double>(row.senderMemoryBytes) / static_cast<double>(without.senderMemoryBytes);
}

double cpuMicrosecondsPerFrame(const ViewersRow& row) {
    return row.frames == 0 ? std::numeric_limits<double>::quiet_NaN()
                           : row.sender.seconds() * 1e6 / static_cast<double>(row.frames);
}

std::string loadText(std::uint32_t load) {
    return load == 0 ? "idle" : fmt::format("{} burner{}", load, load == 1 ? "" : "s");
}

double cpuMicrosecondsPerFrame(const CpuUse& use, const FrameRow& row) {
    return row.frames == 0 ? std::numeric_limits<double>::quiet_NaN()
                           : use.seconds() * 1e6 / static_cast<double>(row.frames);
}

double cpuSecondsPerGigabyte(const CpuUse& use, const FrameRow& row) {
    const double bytes = static_cast<double>(row.frames) * static_cast<double>(row.frameBytes);
    return bytes <= 0 ? std::numeric_limits<double>::quiet_NaN() : use.seconds() / (bytes / 1e9);
}

std::string rateText(const FrameRow& row) {
    return row.handsOver() ? "-" : figureText(row.gigabytesPerSecond);
}

std::optional<double> ratioToLimit(const FrameRow& row) {
    if (!row.limit || row.limit->gigabytesPerSecond <= 0) {
        return std::nullopt;
    }
    return row.ratioToLimit();
}

std::string wakeUpText(const FrameRow& row) {
    const WakeUp& bare = *row.wakeUp;
    std::string text = fmt::format("a bare futex wake-up takes p50 {} us, p99 {} us and {} us of CPU",
                                   figureText(bare.latency.p50), figureText(bare.latency.p99),
                                   figureText(bare.cpuMicroseconds));
    if (!row.tellsLatency()) {
        return text;
    }
    text += fmt::format(": the row's latency {} and {} times that",
                        fixedText(row.latency.p50 / bare.latency.p50, 2),
                        fixedText(row.latency.p99 / bare.latency.p99, 2));
    if (row.handsOver()) {  // others write and check pixels, too
        const double cpu =
            cpuMicrosecondsPerFrame(row.sender, row) + cpuMicrosecondsPerFrame(row.receiver, row);
        text += fmt::format(", its CPU {} times", fixedText(cpu / bare.cpuMicroseconds, 2));
    }
    return text;
}

std::string partialText(const FrameRow& row) {
    const PartialFrames& part = *row.partial;
    return fmt::format(
        "{:g} % of each frame changes: {} MB of it travel, {} times a whole one's; CPU {} us a frame at both "
        "ends, {} times; {} fps, {} times",
        part.percent, figureText(part.movedBytes * 1e-6),
        fixedText(part.movedBytes / part.wholeMovedBytes, 4), figureText(part.cpuMicroseconds),
        fixedText(part.cpuMicroseconds / part.wholeCpuMicroseconds, 2), figureText(row.fps),
        fixedText(row.fps / part.wholeFps, 2));
}

std::string cipherText(const Ciphering& cipher) {
    const auto part = [](const char* verb, double rate, const Limit& limit, double ratio) {
        return fmt::format("{} {} GB/s while it does, {}", verb, figureText(rate),
                           limit.unavailable.empty()
                               ? fmt::format("{} of {} ({} GB/s)", fixedText(ratio, 2), limit.name,
                                             figureText(limit.gigabytesPerSecond))
                               : fmt::format("{} not measured: {}", limit.name, limit.unavailable));
    };
    return part("the sender encrypts", cipher.sealGigabytesPerSecond, cipher.seal, cipher.sealRatio()) +
           "; " +
           part("the receiver decrypts", cipher.openGigabytesPerSecond, cipher.open, cipher.openRatio());
}

std::vector<std::string> rowLimitNotes(const BenchReport& report) {
    std::vector<std::string> notes;
    for (const FrameRow& row : report.rows) {
        if (row.limit && !row.handsOver() && !row.limit->note.empty()) {
            notes.push_back(row.limit->name + ": " + row.limit->note);
        }
    }
    return distinct(notes, [](const std::string& note) { return note; });
}

std::string transferVerdict(const TransferCost& cost) {
    if (!cost.isJudged()) {
        return "is not judged: the pipeline is kept full, and by the clock its parts hold the wait in its "
               "queues "
               "(--fps 60 gives a verdict)";
    }
    const TransferCost::Part sum = cost.together();
    const auto milliseconds = [&](const PartCost& part) {
        return figureText((cost.byProcessorTime ? part.cpuUs : part.wallUs) * 1e-3);
    };
    return fmt::format(
        "{}: read-back, hand-off and upload together cost {} ms {} a frame in the pipeline, "
        "{} ms measured alone; ratio {}, at most {}",
        cost.holds() ? "holds" : "does not hold", milliseconds(sum.pipeline),
        cost.byProcessorTime ? "of processor time" : "by the clock", milliseconds(sum.alone),
        fixedText(cost.ratio(), 2), TransferCost::kLimit);
}

std::string decodedInto(const DecodeRow& row) {
    return row.inGpuMemory ? "GPU memory" : "main memory";
}

std::array<std::string, 5> decodeFigures(const DecodeRow& row) {
    const auto compared = [&row](const std::string& figure) {
        return row.ffmpegUnavailable.empty() ? figure : "-";
    };
    return {figureText(row.fps()), figureText(row.processorUs()), compared(figureText(row.ffmpegFps())),
            compared(figureText(row.ffmpegProcessorUs())), compared(fixedText(row.ratio(), 2))};
}

std::string inputVerdict(const StageRun& run) {
    const Percentiles& time = *run.inputToPicture;
    const std::string p50 = figureText(time.p50 * 1e-3), p99 = figureText(time.p99 * 1e-3);
    if (run.offeredFps <= 0) {
        return fmt::format("input is in the picture after {} ms (p50), {} ms (p99)", p50, p99);
    }
    return fmt::format(
        "{}: input is in the picture after {} ms, {} frame times (p50, at most {}), and {} ms, "
        "{} frame times (p99, at most {}), over {} events",
        run.inputInTime() ? "holds" : "does not hold", p50, fixedText(run.inFrameTimes(time.p50), 2),
        StageRun::kInputP50Limit, p99, fixedText(run.inFrameTimes(time.p99), 2), StageRun::kInputP99Limit,
        time.count);
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const auto space = text.find(' ');
        const std::string word(text.substr(0, space));
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
        std::string& line = lines.back();
        if (!line.empty() && line.size() + 1 + word.size() > width) {
            lines.push_back(word);
        } else {
            line += (line.empty() ? "" : " ") + word;
        }
    }
    return lines;
}

}  // namespace verbcast
