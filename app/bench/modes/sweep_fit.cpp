// Fits lines through a sweep's points and notes the cost of one message in flight.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/bench/fit/fit.h"
#include "app/bench/modes/bench_modes.h"

namespace verbcast {
namespace {

const SweepPoint* findPoint(const BenchReport& report, const std::string& transport, std::uint64_t bytes,
                            std::uint32_t depth) {
    const auto found = std::ranges::find_if(report.sweep, [&](const SweepPoint& p) {
        return p.transport == transport && p.blockBytes == bytes && p.inFlight == depth;
    });
    return found == report.sweep.end() ? nullptr : &*found;
}

/// Compares the two extremes that rdma-cat's author observed.
void addDepthNote(BenchReport& report, const std::string& transport) {
    const SweepPoint* small = findPoint(report, transport, 4U << 10, 1);
    const SweepPoint* large = findPoint(report, transport, 4U << 20, 2);
    if (small != nullptr && large != nullptr) {
        report.notes.push_back(
            fmt::format("{}, what one small message in flight costs: 4 KiB with an acknowledgement each: "
                        "{:.3f} GB/s; 4 MiB double-buffered: {:.2f} GB/s ({:.0f} times as much)",
                        transport, small->gigabytesPerSecond, large->gigabytesPerSecond,
                        large->gigabytesPerSecond / small->gigabytesPerSecond));
    }
}

/// Time per block. Alone: the median from hand-over to acknowledgement, which occasional interruptions of the
/// machine do not distort. In parallel: its share of the total time.
double blockSeconds(const SweepPoint& point) {
    return point.inFlight == 1 ? point.latency.p50 * 1e-6 : 1 / point.blocksPerSecond;
}

/// Notes in the report why there is none.
std::optional<SweepFit> fitOf(BenchReport& report, const std::string& transport, std::uint32_t depth) {
    std::vector<LinePoint> points;
    for (const SweepPoint& p : report.sweep) {
        if (p.transport == transport && p.inFlight == depth && p.blocksPerSecond > 0) {
            points.push_back({static_cast<double>(p.blockBytes), blockSeconds(p)});
        }
    }
    // Two points always lie on a line, which proves nothing.
    const auto line = points.size() >= 3 ? fitRelative(points) : std::nullopt;
    if (!line) {
        return std::nullopt;
    }
    if (line->slope <= 0 || line->intercept < 0) {
        report.notes.push_back(fmt::format(
            "{}, {} in flight: no fit; these times are not those of a start-up cost and a bandwidth "
            "(small blocks stay in a cache, or something else ran meanwhile)",
            transport, depth));
        return std::nullopt;
    }
    return SweepFit{.transport = transport,
                    .inFlight = depth,
                    .t0Us = line->intercept * 1e6,
                    .gigabytesPerSecond = 1e-9 / line->slope,
                    .halfBytes = static_cast<std::uint64_t>(line->intercept / line->slope),
                    .r2 = line->r2};
}

}  // namespace

void fitSweep(BenchReport& report) {
    std::vector<std::pair<std::string, std::uint32_t>> lines;
    std::vector<std::string> transports;
    for (const SweepPoint& point : report.sweep) {
        const std::pair line(point.transport, point.inFlight);
        if (std::ranges::find(lines, line) == lines.end()) {
            lines.push_back(line);
        }
        if (std::ranges::find(transports, point.transport) == transports.end()) {
            transports.push_back(point.transport);
        }
    }
    for (const auto& [transport, depth] : lines) {
        if (const auto fit = fitOf(report, transport, depth)) {
            report.fits.push_back(*fit);
        }
    }
    if (!report.fits.empty()) {
        report.notes.emplace_back(
            "fits: t = t0 + bytes / bandwidth; t of one block in flight is its median latency, of more the "
            "time per block (1 / blocks per second); least squares with weights 1 / t^2, so that small "
            "blocks count as much as large ones");
    }
    for (const std::string& transport : transports) {
        addDepthNote(report, transport);
    }
}

}  // namespace verbcast
