// Sections of the HTML report: each has a heading, charts and their numbers. A section without data is an
// empty string.
#pragma once

#include <string>

#include "app/bench/report/bench_report.h"

namespace verbcast {

std::string framesHtml(const BenchReport& report);
std::string latencyHtml(const BenchReport& report);
std::string costHtml(const BenchReport& report);
std::string limitsHtml(const BenchReport& report);
std::string sweepHtml(const BenchReport& report);
std::string registerHtml(const BenchReport& report);
std::string rpcHtml(const BenchReport& report);
std::string viewersHtml(const BenchReport& report);
std::string stagesHtml(const BenchReport& report);
std::string decodingHtml(const BenchReport& report);

}  // namespace verbcast
