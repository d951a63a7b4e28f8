// Formats a report as a terminal table, JSON or an HTML page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/bench/report/bench_report.h"

namespace verbcast {

MachineInfo describeMachine(int argc, const char* const* argv);

std::string reportTable(const BenchReport& report);
/// Schema "verbcast-bench/1", documented in docs/bench.md; units are in the keys.
nlohmann::ordered_json reportJson(const BenchReport& report);
/// One self-contained page with SVG charts: no scripts, no external references.
std::string reportHtml(const BenchReport& report);

/// Prints the ratios of two reports' rows. Returns the exit code. Throws Error{Input} for files that are not
/// reports.
int runCompare(const CompareOptions& options);

}  // namespace verbcast
