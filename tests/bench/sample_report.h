// A report with something in each of its parts.
#pragma once

#include <string>

#include "app/bench/report/bench_report.h"

namespace verbcast::testing {

FrameRow sampleRow(const std::string& transport, Verify verify, double gigabytesPerSecond);
BenchReport sampleReport();
/// The same with no number where a number can be missing, and with nothing counted.
BenchReport numberlessReport();

inline bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace verbcast::testing
