// A report with data in every section.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/bench/report/report_output.h"

namespace verbcast::testing {

FrameRow sampleRow(const std::string& transport, Verify verify, double gigabytesPerSecond);
BenchReport sampleReport();
/// The same report with NaN or infinity wherever a number may be missing, and with zero counts.
BenchReport numberlessReport();

inline std::string terminalOf(const BenchReport& report) {
    return reportTable(reportJson(report));
}
inline std::string pageOf(const BenchReport& report) {
    return reportHtml(reportJson(report));
}

inline bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace verbcast::testing
