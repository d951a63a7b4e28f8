// Compares the JSON that a program writes with the page that documents its keys, docs/reports.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace verbcast::testing {

/// Expects the section under that heading to name every key of the report in backticks, but those of
/// percentiles and NUMA nodes, which the reference explains.
void expectDocumented(const nlohmann::json& report, const std::string& heading);

/// Expects the report to have every key that the first columns of the section's tables name.
void expectWhole(const nlohmann::json& report, const std::string& heading);

/// Expects a row of the section's tables to begin with that word in backticks.
void expectRow(const std::string& word, const std::string& heading);

}  // namespace verbcast::testing
