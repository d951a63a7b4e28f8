// The roles of the headless program's benchmark workers.
#include <array>

#include "app/bench/workers/bench_roles.h"

namespace verbcast {

int runWorker(const WorkerOptions& options) {
    static constexpr std::array<std::pair<std::string_view, WorkerRole>, 9> kRoles{{
        {"frames-send", framesSendRole},
        {"frames-receive", framesReceiveRole},
        {"frames-receive-all", framesReceiveAllRole},
        {"viewers-send", viewersSendRole},
        {"viewers-receive", viewersReceiveRole},
        {"limit-write", limitWriteRole},
        {"sweep-echo", sweepEchoRole},
        {"rpc-serve", rpcServeRole},
        {"stages-send", stagesSendRole},
    }};
    return runWorkerRole(kRoles, options.role);
}

}  // namespace verbcast
