// The roles of the headless program's benchmark workers.
#include <array>
#include <utility>

#include "app/bench/workers/bench_roles.h"
#include "app/bench/workers/worker.h"
#include "core/base/error.h"

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
    for (const auto& [name, role] : kRoles) {
        if (name == options.role) {
            return runWorkerRole(role);
        }
    }
    throw Error(ErrorKind::Usage, "bench-worker " + options.role + ": no such role",
                "this command is the benchmark's own; use verbcast bench");
}

}  // namespace verbcast
