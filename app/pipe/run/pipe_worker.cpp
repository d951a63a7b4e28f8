#include "app/pipe/run/pipe_worker.h"

#include "app/cli/numa_choice.h"

namespace verbcast {

PipeWorker::PipeWorker(std::unique_ptr<PipeRun> run, const PipeAddress& address, const NumaChoice& numa)
    : run_(std::move(run)) {
    thread_ = std::jthread([this, peer = SessionAddress{.url = address.url, .listen = address.listen}, numa] {
        try {
            place_ = choosePlace(numa, [&] { return devicesTowards({peer}, "/"); });
            takePlace(place_);
            run_->run();
        } catch (const PipeStopped& stopped) {
            end_ = {stopped.exitCode(), stopped.what()};
        } catch (const Error& error) {
            end_ = {error.exitCode(), error.what()};
        } catch (const std::exception& error) {
            end_ = {static_cast<int>(ErrorKind::Internal), error.what()};
        }
        ended_.notify();
    });
}

}  // namespace verbcast
