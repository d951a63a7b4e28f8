// The transports that a benchmark can use here, and addresses for its processes to meet at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/bench/report/bench_report.h"

namespace verbcast {

/// The transports to measure. Missing ones are left out (with a note) or rejected (Error{Device}).
std::vector<std::string> usableTransports(const BenchOptions& options, BenchReport& report);
/// A TCP port that is currently free on the loopback interface.
std::uint16_t freePort();
/// A new address of that transport on this host, for two processes to meet at.
std::string freshAddress(const std::string& scheme, const BenchOptions& options);

}  // namespace verbcast
