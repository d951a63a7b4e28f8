// verbcast bench scale: how the cost of a frame grows with picture size and number of streams.
#include <fmt/format.h>

#include <algorithm>

#include "app/bench/modes/frame_run.h"
#include "app/bench/workers/bench_transports.h"
#include "app/bench/workers/worker.h"

namespace verbcast {
namespace {

/// 1, 2, 4, ... and the requested number.
std::vector<std::uint32_t> streamCounts(std::uint32_t most) {
    std::vector<std::uint32_t> counts;
    for (std::uint32_t count = 1; count < most; count *= 2) {
        counts.push_back(count);
    }
    counts.push_back(most);
    return counts;
}

/// 1, 2, 4, ... streams into one process, for each size.
std::vector<FrameCase> casesIntoOne(const BenchOptions& options, const std::string& scheme,
                                    PixelFormat format) {
    std::vector<FrameCase> cases;
    for (const PictureSize& size : options.sizesOr({kFrameSize})) {
        for (const std::uint32_t count : streamCounts(options.streams)) {
            cases.push_back(
                {.scheme = scheme, .size = size, .pixelFormat = format, .streams = count, .intoOne = true});
        }
    }
    return cases;
}

bool isSamePicture(const FrameRow& one, const FrameRow& other) {
    return one.transport == other.transport && one.width == other.width && one.height == other.height &&
           one.pixelFormat == other.pixelFormat;
}

/// The receiver's cost for all streams' frames, relative to as many frames in the row of one stream.
void compareWithOne(FrameRow& row, const std::vector<FrameRow>& rows) {
    const auto one = std::ranges::find_if(rows, [&](const FrameRow& other) {
        return other.intoOne && other.streams == 1 && isSamePicture(other, row);
    });
    const double cost = one == rows.end() ? 0 : one->cpuMicroseconds(one->receiver);
    if (row.streams > 1 && cost > 0) {
        row.receiverTimesOne = row.streams * row.cpuMicroseconds(row.receiver) / cost;
    }
}

/// All sizes with one stream, then one size with several streams; no case twice.
std::vector<FrameCase> casesOf(const BenchOptions& options, const std::string& scheme, PixelFormat format) {
    std::vector<FrameCase> cases;
    for (const PictureSize& size : options.sizesOr({{1280, 720}, {1920, 1080}, {3840, 2160}, {7680, 4320}})) {
        cases.push_back({.scheme = scheme, .size = size, .pixelFormat = format});
    }
    const PictureSize streamSize = options.sizesOr({{1920, 1080}}).front();
    for (const std::uint32_t count : streamCounts(options.streams)) {
        if (count > 1) {
            cases.push_back({.scheme = scheme, .size = streamSize, .pixelFormat = format, .streams = count});
        }
    }
    return cases;
}

}  // namespace

void benchScale(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    std::vector<FrameCase> cases;
    for (const std::string& scheme : usableTransports(options, report)) {
        for (const PixelFormat format : options.formats) {
            for (const FrameCase& frames :
                 options.intoOne ? casesIntoOne(options, scheme, format) : casesOf(options, scheme, format)) {
                const std::string problem = memoryProblem(ringBytes(options, frames));
                // Requested sizes must fit; sizes from our own list that do not are left out.
                if (!options.sizes.empty()) {
                    requireRoom(options, frames);
                }
                if (problem.empty()) {
                    cases.push_back(frames);
                } else {
                    report.notes.push_back(frames.text() + " is left out: " + problem);
                }
            }
        }
    }
    const Burners burners(options.load);
    for (std::size_t i = 0; i < cases.size() && !interruptEvent().isSet(); ++i) {
        const bool measured = measureRow(options, cases[i], report, [&](const std::string& text) {
            progress.step(i + 1, cases.size(), text);
        });
        if (measured && options.intoOne) {
            compareWithOne(report.rows.back(), report.rows);
        }
    }
}

}  // namespace verbcast
