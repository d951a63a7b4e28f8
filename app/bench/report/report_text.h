// Text shared by the table, the HTML page and the comparison.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/bench/report/bench_report.h"

namespace verbcast {

/// Three significant digits, or all digits before the point: 0.0123, 1.23, 12.3, 123, 12345. "-" if not a
/// number.
std::string figureText(double value);
/// "-" if there are too few values to distinguish it from the largest.
std::string p999Text(const Percentiles& percentiles);
/// With that many decimals; "-" if not a number.
std::string fixedText(double value, int digits);
/// "4 KiB", "1.5 MiB", "100 B".
std::string bytesText(std::uint64_t bytes);
/// A count in short form: 812, 14.2k, 1.25M.
std::string countText(double value);
/// "full", "header: pixels not touched", "none: pixels not touched"
std::string verifiedText(Verify verify);
/// "as fast as possible" or "60 fps offered"
std::string offeredText(double offeredFps);
/// "tcp 3840x2160 rgba"
std::string rowName(const FrameRow& row);
/// Distinguishes a row from others of the same name: "60 fps offered, 2 streams, polling, load 4".
std::string rowConditions(const FrameRow& row);
/// "59.9 to 60.0 fps each; the receiver's CPU is 6.02 times one stream's"; for one receiving process only.
std::string intoOneText(const FrameRow& row);
/// "16 that stall"; for a row with slow viewers.
std::string slowText(const ViewersRow& row);
/// "idle" or "4 burners"
std::string loadText(std::uint32_t load);

/// User and system time of one side per frame, in microseconds; NaN without frames.
double cpuMicrosecondsPerFrame(const CpuUse& use, const FrameRow& row);
/// Of the sender, per frame due.
double cpuMicrosecondsPerFrame(const ViewersRow& row);
/// CPU seconds of one side per 1e9 bytes of payload; NaN without frames.
double cpuSecondsPerGigabyte(const CpuUse& use, const FrameRow& row);
/// GB/s; "-" for a row that hands over frames without touching pixels.
std::string rateText(const FrameRow& row);
/// nullopt if there is no limit or it was not measured.
std::optional<double> ratioToLimit(const FrameRow& row);

/// "a bare futex wake-up takes p50 22.0 us, p99 51.0 us and 30.1 us of CPU: 1.40, 1.90 and 1.75 times that";
/// for a row that has one.
std::string wakeUpText(const FrameRow& row);
/// Bytes, CPU time and rate of partially changing frames, relative to whole ones.
std::string partialText(const FrameRow& row);
/// "2.00 copies of a frame over PCIe; cuMemcpy to host ..."
std::string deviceText(const DeviceCopies& device);
/// "in GPU memory: 0.00 copies of a frame by the processors, 2.00 copies ..."
std::string copiesText(const StageCopies& copies);
/// "encrypts 3.4 GB/s, 0.85 of openssl speed aes-256-gcm; decrypts ..."
std::string cipherText(const Ciphering& cipher);

/// What the rows' limits mean, without repetition: "plain TCP: the row also checks every byte, its limit does
/// not".
std::vector<std::string> rowLimitNotes(const BenchReport& report);

/// "holds: read-back, hand-off and upload together cost 5.90 ms of processor time a frame in the
/// pipeline, 5.60 ms alone, ratio 1.05 (at most 1.15)"
std::string transferVerdict(const TransferCost& cost);
/// "holds: input is in the picture after 16.2 ms (p50), 0.97 frame times (at most 1.5), ..."; without a rate
/// only the times. The run must have an input-to-picture time.
std::string inputVerdict(const StageRun& run);

/// "GPU memory" or "main memory": where its pictures end.
std::string decodedInto(const DecodeRow& row);
/// Pictures a second and microseconds of processors a picture, ours and ffmpeg's, and the ratio of the
/// rates; "-" for what was not measured.
std::array<std::string, 5> decodeFigures(const DecodeRow& row);

/// Wraps at spaces into lines of at most `width` bytes; a longer word stays whole.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// The distinct keys of `items`, in order of first occurrence.
template <typename Items, typename Key>
auto distinct(const Items& items, Key key) {
    std::vector<decltype(key(*items.begin()))> values;
    for (const auto& item : items) {
        const auto value = key(item);
        bool known = false;
        for (const auto& other : values) {
            known = known || other == value;
        }
        if (!known) {
            values.push_back(value);
        }
    }
    return values;
}

}  // namespace verbcast
