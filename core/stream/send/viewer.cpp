#include "core/stream/send/viewer.h"

namespace verbcast {

Viewer::Viewer(SenderShared& shared, std::uint64_t id, bool yields, std::shared_ptr<ViewerAccount> account)
    : shared_(shared), id_(id), yields_(yields), account_(std::move(account)) {}

std::unique_ptr<TrackQueue> Viewer::makeQueue(TrackId track, TrackKind kind, const SenderLink& /*link*/) {
    switch (policyOf(track)) {
        case Policy::Lossless:
            return std::make_unique<LosslessQueue>(tally(track), roomFor(kind).slots);
        case Policy::Latest:
            break;
    }
    return std::make_unique<LatestQueue>(tally(track), roomFor(kind).waiting);
}

void Viewer::run(std::unique_ptr<SenderLink> link, std::function<void(Runner&)> onEnd) {
    runners_.reserve(runners_.size() + 1);  // so that a started thread is not thrown away
    runners_.push_back(std::make_unique<Runner>(std::move(link), std::move(onEnd)));
}

bool Viewer::alive() const {
    return std::ranges::any_of(runners_, [](const auto& runner) { return !runner->ended(); });
}

bool Viewer::aliveWithout(const Runner& ended) const {
    return std::ranges::any_of(
        runners_, [&](const auto& runner) { return runner.get() != &ended && !runner->ended(); });
}

const SenderLink& Viewer::link() const {
    return (*std::ranges::find_if(runners_, [](const auto& runner) { return !runner->ended(); }))->link();
}

void Viewer::removeFinished(std::vector<std::unique_ptr<Runner>>& finished) {
    for (auto& runner : runners_) {
        if (runner->finished()) {
            finished.push_back(std::move(runner));
        }
    }
    std::erase(runners_, nullptr);
}

const QueuedFrame* Viewer::suitedOf(const QueuedFrame& frame,
                                    const std::optional<QueuedFrame>& copied) const {
    const QueuedFrame* suited = &frame;
    eachLink([&](SenderLink& link) {
        const Imports::Answer import = link.imports().of(frame.epoch->track, frame.lease.pool()->memory());
        if (!Imports::known(import)) {
            suited = nullptr;
        } else if (!import.get().direct && suited != nullptr) {
            suited = copied && copied->lease ? &*copied : nullptr;
        }
    });
    return suited;
}

void Viewer::turnDown(const QueuedFrame& frame) {
    eachLink([&](SenderLink& link) { link.turnDown(frame); });
    tally(frame.info.track).countDropped();
}

bool Viewer::canPush(TrackId track) const {
    bool can = true;
    eachLink([&](SenderLink& link) { can &= link.canPush(track); });
    return can;
}

}  // namespace verbcast
