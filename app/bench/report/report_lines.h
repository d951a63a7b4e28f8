// What the parts of the report for a terminal are made of, and those that have a file of their own.
#pragma once

#include <cstddef>
#include <string>

#include "app/bench/report/bench_report.h"

namespace verbcast {

/// Columns of all of it.
inline constexpr std::size_t kTableWidth = 110;

/// `text` broken into lines that all begin with `indent` spaces.
std::string paragraph(const std::string& text, std::size_t indent);
std::string heading(const std::string& title, const std::string& units);

std::string viewersSection(const BenchReport& report);
std::string modelSection(const BenchReport& report);

}  // namespace verbcast
