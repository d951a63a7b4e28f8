// Which transports a benchmark can use here, and where its two processes meet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/bench/report/bench_report.h"

namespace verbcast {

/// The transports to measure, after leaving out (with a note) or refusing (Error{Device}) those that are
/// missing.
std::vector<std::string> usableTransports(const BenchOptions& options, BenchReport& report);
/// A TCP port of the loopback that is free now.
std::uint16_t freePort();
/// A fresh address of that transport on this host for two processes to meet at.
std::string freshAddress(const std::string& scheme, const BenchOptions& options);

}  // namespace verbcast
