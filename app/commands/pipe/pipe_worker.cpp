#include "app/commands/pipe/pipe_worker.h"

#include <utility>

#include "app/cli/numa_choice.h"

namespace verbcast {

PipeWorker::PipeWorker(std::unique_ptr<PipeRun> run, const std::vector<PipeAddress>& peers,
                       const NumaChoice& numa)
    : run_(std::move(run)) {
    thread_ = std::jthread([this, peers, numa] {
        work([&] {
            place_ = choosePlace(numa, peers);
            takePlace(place_);
        });
    });
}

PipeWorker::PipeWorker(std::unique_ptr<PipeRun> run, NumaStats place)
    : run_(std::move(run)), place_(std::move(place)) {
    thread_ = std::jthread([this] { work([] {}); });
}

NumaStats PipeWorker::choosePlace(const NumaChoice& numa, const std::vector<PipeAddress>& peers) {
    return verbcast::choosePlace(numa, [&] {
        std::vector<SessionAddress> addresses;
        addresses.reserve(peers.size());
        for (const auto& [url, listen] : peers) {
            addresses.push_back({.url = url, .listen = listen});
        }
        return devicesTowards(addresses, "/");
    });
}

void PipeWorker::work(const std::function<void()>& takesPlace) {
    try {
        takesPlace();
        run_->run();
    } catch (const PipeStopped& stopped) {
        end_ = {stopped.exitCode(), stopped.what(), std::current_exception()};
    } catch (const Error& error) {
        end_ = {error.exitCode(), error.what(), std::current_exception()};
    } catch (const std::exception& error) {
        end_ = {static_cast<int>(ErrorKind::Internal), error.what(), std::current_exception()};
    }
    ended_.notify();
}

}  // namespace verbcast
