// Building blocks of the terminal report, and sections that have their own file.
#pragma once

#include <cstddef>
#include <string>

#include "app/bench/report/bench_report.h"

namespace verbcast {

/// Columns of the whole report.
inline constexpr std::size_t kTableWidth = 110;

/// Wraps `text` into lines that begin with `indent` spaces.
std::string paragraph(const std::string& text, std::size_t indent);
std::string heading(const std::string& title, const std::string& units);

std::string viewersSection(const BenchReport& report);

}  // namespace verbcast
