#include "app/commands/pipe/run/local_ends.h"

#include <utility>

#include "core/pipe/pipe_receiver.h"
#include "core/pipe/pipe_sender.h"

namespace verbcast {

void LocalEnds::send(const PipeSettings& settings, const Url& to, const NumaChoice& numa) {
    const std::vector<PipeAddress> peers{{to, false}};
    sending_.worker = std::make_unique<PipeWorker>(
        std::make_unique<PipeSender>(settings, peers, std::move(input_).value()), peers, numa);
    input_.reset();
}

void LocalEnds::receive(const PipeSettings& settings, const Url& from, const NumaChoice& numa) {
    const PipeAddress address{from, false};
    receiving_.worker = std::make_unique<PipeWorker>(
        std::make_unique<PipeReceiver>(settings, address, *output_), std::vector{address}, numa);
}

void LocalEnds::dismiss() {
    dismissed_ = true;
    for (const End* end : {&sending_, &receiving_}) {
        if (end->worker) {
            end->worker->run().cancel();
        }
    }
}

void LocalEnds::addDescriptors(std::vector<int>& descriptors) const {
    descriptors.push_back(sending_.descriptor());
    descriptors.push_back(receiving_.descriptor());
}

void LocalEnds::look() {
    look(sending_);
    look(receiving_);
}

void LocalEnds::look(End& end) {
    if (end.over() || !end.worker->ended()) {
        return;
    }
    end.seenEnded = true;
    const PipeWorker::End& how = end.worker->end();
    const bool ourOwnDoing = dismissed_ && how.code == kInterruptedCode;
    if (!failure_ && how.code != 0 && how.code != kBrokenPipeCode && !ourOwnDoing) {
        failure_ = failureOfPipe(how.code, "here", how.text);
    }
}

}  // namespace verbcast
