#include "app/commands/pipe/pipe_worker.h"

#include "app/cli/numa_choice.h"

namespace verbcast {

PipeWorker::PipeWorker(std::unique_ptr<PipeRun> run, const std::vector<PipeAddress>& peers,
                       const NumaChoice& numa)
    : run_(std::move(run)) {
    thread_ = std::jthread([this, peers, numa] {
        try {
            place_ = choosePlace(numa, [&] {
                std::vector<SessionAddress> addresses;
                for (const auto& [url, listen] : peers) {
                    addresses.push_back({.url = url, .listen = listen});
                }
                return devicesTowards(addresses, "/");
            });
            takePlace(place_);
            run_->run();
        } catch (const PipeStopped& stopped) {
            end_ = {stopped.exitCode(), stopped.what(), std::current_exception()};
        } catch (const Error& error) {
            end_ = {error.exitCode(), error.what(), std::current_exception()};
        } catch (const std::exception& error) {
            end_ = {static_cast<int>(ErrorKind::Internal), error.what(), std::current_exception()};
        }
        ended_.notify();
    });
}

}  // namespace verbcast
