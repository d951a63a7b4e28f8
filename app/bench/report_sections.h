// The parts of the HTML report, each a heading, charts and the numbers they are made of. A part without data
// is an empty string.
#pragma once

#include <string>
#include <vector>

#include "app/bench/bench_report.h"

namespace verbcast {

/// A table; cells hold plain text, which is escaped here. The first `words` columns are set left.
std::string htmlTable(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& rows,
                      std::size_t words);

std::string framesHtml(const BenchReport& report);
std::string latencyHtml(const BenchReport& report);
std::string costHtml(const BenchReport& report);
std::string limitsHtml(const BenchReport& report);
std::string sweepHtml(const BenchReport& report);
std::string registerHtml(const BenchReport& report);
std::string rpcHtml(const BenchReport& report);
std::string stagesHtml(const BenchReport& report);

}  // namespace verbcast
