#include "app/commands/pipe/pipe_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/os/whole_file.h"

namespace verbcast {
namespace {

/// "1.25 GB", with three digits.
std::string bytesText(double bytes) {
    static constexpr std::array<const char*, 6> kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
    std::size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
        bytes /= 1000;
        ++unit;
    }
    const int digits = unit == 0 || bytes >= 100 ? 0 : bytes >= 10 ? 1 : 2;
    return fmt::format("{:.{}f} {}", bytes, digits, kUnits[unit]);
}

std::string timeText(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::clamp(seconds, 0.0, 1e9));
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

double bytesPerSecond(const PipeStatus& status) {
    return status.seconds > 0 ? static_cast<double>(status.bytes) / status.seconds : 0;
}

std::string progressText(const PipeStatus& status, PipeStatus& shown) {
    const double passed = status.seconds - shown.seconds;
    const double rate = passed > 0 ? static_cast<double>(status.bytes - shown.bytes) / passed : 0;
    shown = status;
    const double average = bytesPerSecond(status);
    const std::uint64_t reached = status.start + status.bytes;
    std::string text =
        fmt::format("{} {} [{:>8}/s] average [{:>8}/s]", bytesText(static_cast<double>(reached)),
                    timeText(status.seconds), bytesText(rate), bytesText(average));
    if (status.length && *status.length > 0) {
        const double share = static_cast<double>(reached) / static_cast<double>(*status.length);
        text += fmt::format(" {:.0f}%", std::floor(100 * std::min(share, 1.0)));
        if (reached < *status.length && average > 0) {
            text += " ETA " + timeText(std::ceil(static_cast<double>(*status.length - reached) / average));
        }
    }
    return text;
}

std::string summaryText(const PipeStatus& status) {
    return fmt::format("{} in {:.2f} s, {}/s{}", bytesText(static_cast<double>(status.bytes)), status.seconds,
                       bytesText(bytesPerSecond(status)),
                       status.checksum ? fmt::format(", xxh3 {:016x}", *status.checksum) : "");
}

nlohmann::ordered_json textOrNull(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

nlohmann::ordered_json transferJson(const PipeStatus& status) {
    return {{"transport", textOrNull(status.transport)},
            {"bytes", status.bytes},
            {"seconds", status.seconds},
            {"gigabytes_per_second", bytesPerSecond(status) * 1e-9},
            {"block_bytes", status.blockBytes},
            {"depth", status.depth},
            {"checksum", textOrNull(status.checksum ? fmt::format("xxh3:{:016x}", *status.checksum) : "")}};
}

void writeReport(const std::string& path, const nlohmann::ordered_json& report) {
    writeWhole(path, report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void PipeProgress::show(const PipeStatus& status) {
    if (!status.flowing) {
        if (!status.text.empty()) {
            line_.state(status.text);
        }
        return;
    }
    if (!shown_.flowing) {
        shown_.flowing = true;
        line_.clear();
        if (verbosity_ == Verbosity::Verbose) {
            line_.note(fmt::format("{} over {}: {} ({}; {})", status.text, status.transport, status.peer,
                                   status.address, status.reason));
        }
    }
    // Earlier there is too little for a rate.
    constexpr double kFirstSeconds = 0.25;
    if (verbosity_ == Verbosity::Verbose && status.seconds >= kFirstSeconds && line_.due()) {
        line_.statistics(progressText(status, shown_));
    }
}

void PipeProgress::finish(const PipeStatus& status, bool delivered) {
    line_.clear();
    if (verbosity_ != Verbosity::Verbose || !status.flowing) {
        return;
    }
    line_.note((delivered ? "" : "gave up after ") + summaryText(status));
}

}  // namespace verbcast
