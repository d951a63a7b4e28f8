// bench sweep: a worker for each block size, and all depths over one connection to it.
#include "app/bench/modes/bench_modes.h"

#include <fmt/format.h>

#include "app/bench/modes/channel_driver.h"
#include "app/bench/modes/sweep_ends.h"
#include "app/bench/report/report_text.h"
#include "app/bench/workers/bench_roles.h"
#include "app/bench/workers/bench_transports.h"
#include "core/memory/available_memory.h"

namespace verbcast {
namespace {

constexpr std::uint64_t kMaxRingBytes = 512ULL << 20;
constexpr std::uint64_t kMinBlocks = 8;

std::uint32_t slotsFor(const SweepRange& range, std::uint64_t blockBytes) {
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(range.ringBytes / blockBytes, 1, range.depths.back()));
}

/// Measures all depths of one block size over one connection. Returns false if interrupted.
bool measureBlock(const std::string& scheme, std::uint64_t blockBytes, const SweepRange& range,
                  const BenchOptions& options, BenchReport& report, const Say& say) {
    const std::uint32_t slots = slotsFor(range, blockBytes);
    WorkerLink link(options, scheme, "sweep-echo", {{"block_bytes", blockBytes}, {"slots", slots}},
                    {.sendsFrames = true});
    if (!link.connected()) {
        return false;
    }
    SweepSource source(link.connection(), blockBytes, slots);
    for (const std::uint32_t depth : range.depths) {
        if (depth > slots) {
            continue;
        }
        say(fmt::format("{} blocks of {}, {} in flight", scheme, bytesText(blockBytes), depth));
        source.measure(depth, pointLength(options, kMinBlocks, depth));
        const bool finished = link.run(source);
        if (source.measuredAnything()) {
            report.sweep.push_back(source.point());
        }
        if (!finished) {
            return false;
        }
    }
    link.finish();
    return true;
}

std::size_t pointsPerTransport(const SweepRange& range) {
    std::size_t points = 0;
    for (const std::uint64_t block : range.blocks) {
        points += static_cast<std::size_t>(std::ranges::count_if(
            range.depths, [&](std::uint32_t depth) { return depth <= slotsFor(range, block); }));
    }
    return points;
}

void addNotes(const SweepRange& range, const std::vector<std::string>& transports, BenchReport& report) {
    const auto sharesMemory = [](const std::string& scheme) {
        return transportHas(scheme, &Transport::sharesMemory);
    };
    for (const std::string& scheme : transports) {
        if (sharesMemory(scheme)) {
            report.notes.push_back(fmt::format(
                "{0} moves no payload: in this sweep its receiver copies each block into a ring of "
                "its own, so that a byte counted is a byte moved; frames over {0} do without that copy",
                scheme));
        }
    }
    if (!std::ranges::all_of(transports, sharesMemory)) {
        report.notes.emplace_back(
            "the other transports take few blocks at once (tcp two); deeper ones wait at the sender, and "
            "that wait is in their latency");
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
    range.ringBytes = std::min(kMaxRingBytes, availableMemory().value_or(4 * kMaxRingBytes) / 4);
    return range;
}

void sweepRange(const SweepRange& range, const BenchOptions& options, BenchReport& report,
                BenchProgress& progress) {
    const std::vector<std::string> transports = usableTransports(options, report);
    if (!transports.empty()) {
        addNotes(range, transports, report);
    }
    const std::size_t points = pointsPerTransport(range) * transports.size();
    std::size_t done = 0;
    const Say say = [&](const std::string& text) {
        progress.step(++done, points,
                      text + (report.sweep.empty() ? ""
                                                   : fmt::format(" (last: {:.2f} GB/s)",
                                                                 report.sweep.back().gigabytesPerSecond)));
    };
    driveOver(transports, options, report, [&](const std::string& scheme) {
        return std::ranges::all_of(range.blocks, [&](std::uint64_t block) {
            return measureBlock(scheme, block, range, options, report, say);
        });
    });
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
