#include "app/window/stats/summary.h"

#include <fmt/format.h>

#include "core/base/text/counted.h"

namespace verbcast {

std::string summaryLine(const StreamStats& stats, const ReceiverStatus& status) {
    if (stats.framesTransferred == 0 && !stats.sound) {
        return "no frame arrived";
    }
    std::string line =
        stats.isSoundAlone()
            ? "received " + describe(*stats.sound)
            : fmt::format("shown {} of {} ({} dropped, {} skipped), {:.2f} fps, {:.2f} GB/s",
                          stats.framesShown, counted(stats.framesTransferred + stats.framesDropped, "frame"),
                          stats.framesDropped, stats.framesSkipped, stats.framesPerSecond(),
                          stats.gigabytesPerSecond());
    line += percentilesText("latency", stats.latency);
    if (stats.framesCorrupt > 0) {
        line += fmt::format(", {} damaged", stats.framesCorrupt);
    }
    if (!stats.transport.empty()) {
        line += ", " + stats.transport;
    }
    if (!status.transportReason.empty()) {
        line += " (" + status.transportReason + ")";
    }
    if (status.trust.protection == Protection::None) {
        line += ", unprotected";
    } else if (status.trust.protection != Protection::ThisHost) {
        line += fmt::format(", {}", nameOf(status.trust.protection));
    }
    return line;
}

std::string sizeText(std::uint64_t bytes) {
    const auto size = static_cast<double>(bytes);
    return bytes < 1'000'000'000 ? fmt::format("{:.0f} MB", size * 1e-6)
                                 : fmt::format("{:.2f} GB", size * 1e-9);
}

std::string recordingLine(const std::string& path, const RecordingStatus& recording) {
    return fmt::format(
        "recorded {} in {} ({})",
        recording.frames > 0 || recording.bytes == 0 ? counted(recording.frames, "frame") : "sound",
        path == "-" ? "standard output" : path, sizeText(recording.bytes));
}

std::string missingLine(const std::string& path, const RecordingStatus& recording, std::uint64_t dropped) {
    const std::uint64_t missing = recording.leftOut + dropped;
    if (missing == 0) {
        return {};
    }
    std::string line =
        fmt::format("{} missing in {}: {} dropped on the way", counted(missing, "frame is", "frames are"),
                    path == "-" ? "standard output" : path, dropped);
    if (recording.leftOut > 0) {
        line += fmt::format(", {} arrived while writing was behind or had ended", recording.leftOut);
    }
    return line + "; send with --policy lossless";
}

}  // namespace verbcast
