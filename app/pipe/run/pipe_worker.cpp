#include "app/pipe/run/pipe_worker.h"

namespace verbcast {

PipeWorker::PipeWorker(std::unique_ptr<PipeRun> run) : run_(std::move(run)) {
    thread_ = std::jthread([this] {
        try {
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
