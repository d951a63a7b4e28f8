// A report with something in each of its parts.
#pragma once

#include "app/bench/bench_report.h"

namespace verbcast::testing {

FrameRow sampleRow(const std::string& transport, Verify verify, double gigabytesPerSecond);
BenchReport sampleReport();
/// The same with no number where a number can be missing, and with nothing counted.
BenchReport numberlessReport();

}  // namespace verbcast::testing
