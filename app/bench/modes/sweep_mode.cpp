// bench sweep: a worker for each block size, and all depths over one connection to it.
#include "app/bench/modes/sweep_mode.h"
#include "app/bench/report/report_text.h"
#include "app/bench/workers/bench_transports.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/bench/limits/memory_info.h"
#include "app/bench/modes/channel_driver.h"
#include "app/bench/modes/sweep_ends.h"
#include "app/bench/workers/bench_roles.h"
#include "app/bench/workers/pinning.h"
#include "app/host/interrupt.h"
#include "core/base/error.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

constexpr std::uint64_t kMaxRingBytes = 512ULL << 20;
constexpr std::uint64_t kMinBlocks = 8;

std::uint32_t slotsFor(const SweepRange& range, std::uint64_t blockBytes) {
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(range.ringBytes / blockBytes, 1, range.depths.back()));
}

/// Measures all depths of one block size over one connection. Returns false if interrupted.
class SweepRun {
  public:
    SweepRun(const SweepRange& range, const BenchOptions& options, BenchReport& report,
             BenchProgress& progress, std::size_t points)
        : range_(range), options_(options), report_(report), progress_(progress), points_(points) {}

    bool measureBlock(const std::string& scheme, std::uint64_t blockBytes) {
        const std::uint32_t slots = slotsFor(range_, blockBytes);
        WorkerLink link(options_, scheme, "sweep-echo", {{"block_bytes", blockBytes}, {"slots", slots}},
                        {.sendsFrames = true});
        if (!link.connected()) {
            return false;
        }
        SweepSource source(link.connection(), blockBytes, slots);
        for (const std::uint32_t depth : range_.depths) {
            if (depth > slots) {
                continue;
            }
            progress_.step(++done_, points_,
                           fmt::format("{} blocks of {}, {} in flight{}", scheme, bytesText(blockBytes),
                                       depth, lastSpeed_));
            source.measure(depth, pointLength(options_, kMinBlocks, depth));
            const bool finished = link.run(source);
            if (source.measuredAnything()) {
                report_.sweep.push_back(source.point());
                lastSpeed_ = fmt::format(" (last: {:.2f} GB/s)", report_.sweep.back().gigabytesPerSecond);
            }
            if (!finished) {
                return false;
            }
        }
        link.finish();
        return true;
    }

  private:
    const SweepRange& range_;
    const BenchOptions& options_;
    BenchReport& report_;
    BenchProgress& progress_;
    std::size_t points_;
    std::size_t done_ = 0;
    std::string lastSpeed_;
};

std::size_t pointsPerTransport(const SweepRange& range) {
    std::size_t points = 0;
    for (const std::uint64_t block : range.blocks) {
        points += static_cast<std::size_t>(
            std::count_if(range.depths.begin(), range.depths.end(),
                          [&](std::uint32_t depth) { return depth <= slotsFor(range, block); }));
    }
    return points;
}

void addNotes(const SweepRange& range, const BenchOptions& options,
              const std::vector<std::string>& transports, BenchReport& report) {
    const auto sharesMemory = [](const std::string& scheme) {
        return transportHas(scheme, &Transport::sharesMemory);
    };
    for (const std::string& scheme : transports) {
        if (sharesMemory(scheme)) {
            report.notes.push_back(
                fmt::format("{0} moves no payload: in this sweep its receiver copies each block into a ring "
                            "of its own, so "
                            "that a byte counted is a byte moved; frames over {0} do without that copy",
                            scheme));
        }
    }
    if (!std::ranges::all_of(transports, sharesMemory)) {
        report.notes.emplace_back(
            "the other transports take few blocks at once (tcp two); deeper ones wait at the sender, and "
            "that "
            "wait is in their latency");
    }
    report.notes.push_back(fmt::format(
        "blocks of less than {} go round in rings that a processor's last cache may hold: they tell "
        "what a message costs, not how fast memory is",
        bytesText(kBeyondCaches)));
    const std::size_t all = range.blocks.size() * range.depths.size();
    const std::size_t left = all - pointsPerTransport(range);
    if (left > 0) {
        report.notes.push_back(
            fmt::format("{} of the {} points of each transport are left out: their rings would exceed {}",
                        left, all, bytesText(range.ringBytes)));
    }
    addDrivingNotes(options, transports, report);
}

}  // namespace

SweepRange standardSweepRange() {
    SweepRange range;
    for (std::uint64_t bytes = 4ULL << 10; bytes <= 64ULL << 20; bytes *= 4) {
        range.blocks.push_back(bytes);
        if (bytes == 4ULL << 20) {
            range.blocks.push_back(8ULL << 20);  // what ib_write_bw moves, as a limit
        }
    }
    range.depths = {1, 2, 4, 8, 16, kMaxSweepDepth};
    // A ring at each end, with memory left for everybody else.
    const std::uint64_t available = memoryInfo("MemAvailable") * 1024;
    range.ringBytes = available == 0 ? kMaxRingBytes : std::min(kMaxRingBytes, available / 4);
    return range;
}

void sweepRange(const SweepRange& range, const BenchOptions& options, BenchReport& report,
                BenchProgress& progress) {
    const std::vector<std::string> transports = usableTransports(options, report);
    if (transports.empty()) {
        return;
    }
    addNotes(range, options, transports, report);
    const Burners burners(options.load);
    const PinnedThread pinned(options.pin.empty() ? -1 : options.pin.front());
    SweepRun run(range, options, report, progress, pointsPerTransport(range) * transports.size());
    try {
        for (const std::string& scheme : transports) {
            for (const std::uint64_t block : range.blocks) {
                if (!run.measureBlock(scheme, block)) {
                    return fitSweep(report);
                }
            }
        }
    } catch (const Error&) {
        // The worker receives the same Ctrl-C and may be gone before this process notices.
        if (!interruptEvent().isSet()) {
            throw;
        }
    }
    fitSweep(report);
}

void benchSweep(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    sweepRange(standardSweepRange(), options, report, progress);
}

nlohmann::json sweepEchoRole(const nlohmann::json& job, const WorkerEmit& emit) {
    const auto blockBytes = job.at("block_bytes").get<std::uint64_t>();
    const auto slots = job.at("slots").get<std::uint32_t>();
    std::uint64_t blocks = 0;
    serveWorker(job, emit, [&](const Connection& connection) -> std::unique_ptr<ChannelEnd> {
        return std::make_unique<SweepSink>(connection, blockBytes, slots, blocks);
    });
    return {{"blocks", blocks}};
}

}  // namespace verbcast
