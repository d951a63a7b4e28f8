// bench rpc with an adjustable range: benchRpc() measures the range documented for the command.
#pragma once

#include <cstdint>
#include <vector>

#include "app/bench/modes/bench_modes.h"

namespace verbcast {

struct RpcRange {
    std::vector<std::uint32_t> callers;  ///< calls in flight
    std::uint32_t payloadBytes = 64;     ///< of request and reply: 8 to kMaxMessageBytes
};

/// 1 to 256 callers, 64 bytes.
RpcRange standardRpcRange();
void rpcRange(const RpcRange& range, const BenchOptions& options, BenchReport& report,
              BenchProgress& progress);

}  // namespace verbcast
