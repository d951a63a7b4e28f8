#include "app/bench/bench_modes.h"
#include "app/bench/bench_roles.h"
#include "app/bench/report_output.h"
#include "core/base/error.h"

namespace verbcast {

void benchRpc(const BenchOptions&, BenchReport&, BenchProgress&) {
    throw Error(ErrorKind::Internal, "not built yet");
}
nlohmann::json rpcServeRole(const nlohmann::json&, const WorkerEmit&) {
    throw Error(ErrorKind::Internal, "not built yet");
}

}  // namespace verbcast
