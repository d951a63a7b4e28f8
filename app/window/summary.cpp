#include "app/window/summary.h"

#include <fmt/format.h>

namespace verbcast {

std::string summaryLine(const StreamStats& stats, const ReceiverStatus& status) {
    if (stats.framesTransferred == 0) {
        return "no frame arrived";
    }
    std::string line = fmt::format(
        "shown {} of {} frames ({} dropped, {} skipped), {:.2f} fps, {:.2f} GB/s, latency p50 {:.0f} us p99 "
        "{:.0f} us",
        stats.framesShown, stats.framesTransferred + stats.framesDropped, stats.framesDropped,
        stats.framesSkipped, stats.framesPerSecond(), stats.gigabytesPerSecond(), stats.latency.p50,
        stats.latency.p99);
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

}  // namespace verbcast
