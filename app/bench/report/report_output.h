// Formats a report as JSON and, from that, as a terminal table and an HTML page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/bench/report/bench_report.h"

namespace verbcast {

using Json = nlohmann::ordered_json;

inline constexpr const char* kReportSchema = "verbcast-bench/1";

MachineInfo describeMachine(int argc, const char* const* argv);

/// Schema kReportSchema, documented in docs/reports.md; units are in the keys.
Json reportJson(const BenchReport& report);
/// At most 110 columns wide.
std::string reportTable(const Json& report);
/// One self-contained page with SVG charts: no scripts, no external references.
std::string reportHtml(const Json& report);

/// Prints the ratios of two reports' rows. Returns the exit code. Throws Error{Input} for files that are not
/// reports.
int runCompare(const CompareOptions& options);

}  // namespace verbcast
