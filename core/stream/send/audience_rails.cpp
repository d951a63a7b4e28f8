// Receivers that are served over several rails: one link per rail, which takes its frames from a RailGroup.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/stranger_log.h"
#include "core/stream/send/audience.h"

namespace verbcast {
namespace {

std::string railText(const SenderLink& link) {
    return fmt::format("rail {} of {} to {} ({} from {})", link.rail() + 1, link.rails()->count(),
                       link.peer().name.value, link.description().peer, link.description().local);
}

}  // namespace

std::shared_ptr<RailGroup> Audience::findRails(const RailStreamId& stream) const {
    for (const auto& runner : runners_) {
        const auto& rails = runner->link().rails();
        if (rails && isAlive(runner) && rails->stream() == stream && rails->anyUp()) {
            return rails;
        }
    }
    return nullptr;
}

std::shared_ptr<RailGroup> Audience::railsOf(const RailStreamId& stream) const {
    const std::lock_guard lock(mutex_);
    return findRails(stream);
}

std::optional<Refuse> Audience::objectionToRail(const Hello& caller) const {
    const std::lock_guard lock(mutex_);
    const auto rails = caller.isRail() ? findRails(caller.rail.stream) : nullptr;
    if (rails && rails->isUp(caller.rail.index)) {
        return Refuse{
            RefuseCode::Busy,
            fmt::format("the connection before this one, rail {}, has not ended yet", caller.rail.index + 1)};
    }
    return std::nullopt;
}

/// Returns true if others of the stream are there. Throws Error{Peer} for one that is none of theirs.
bool Audience::joinRails(const Guest& guest, std::uint64_t id, std::shared_ptr<RailGroup>& rails) {
    const RailHello& hello = guest.peer.rail;
    rails = findRails(hello.stream);
    const bool spare = rails != nullptr;
    if (spare) {
        if (const std::string objection = rails->objectionTo(hello, guest.peer.instance, guest.trust);
            !objection.empty()) {
            throw Error(ErrorKind::Peer, objection);
        }
    } else {
        rails = std::make_shared<RailGroup>(hello, id, guest.peer.instance, policyFor(guest, nullptr),
                                            options_.slots);
    }
    if (rails->joined(hello.index, guest.connection.messages->description(), guest.trust)) {
        noteDeparture(fmt::format("rail {} of {} to {} is there again: {}", hello.index + 1, hello.count,
                                  guest.peer.name.value, guest.connection.messages->description().peer));
    }
    keptForRails_ = RailQueue::kept(options_.slots);
    return spare;
}

/// Keeps frames as long as any receiver has rails.
void Audience::keepForRails() {
    const bool any = std::ranges::any_of(runners_, [](const auto& runner) {
        return isAlive(runner) && runner->link().rails() && runner->link().rails()->anyUp();
    });
    keptForRails_ = any ? RailQueue::kept(options_.slots) : 0;
}

/// Keeps the account of a rail that has ended. Returns true if others of its stream go on.
bool Audience::keepRailAccount(Runner& runner) {
    SenderLink& link = runner.link();
    const LinkEnd& end = runner.end();
    const bool lost = end.kind == LinkEnd::Kind::Lost || end.kind == LinkEnd::Kind::Broken;
    const std::uint64_t frames = link.rails()->gone(link.rail(), lost);
    for (std::uint64_t i = 0; i < frames; ++i) {
        link.countDropped(kMainTrack);
    }
    static_cast<void>(link.takeUnaccepted(false));
    if (!link.rails()->anyUp()) {
        keepForRails();
        return false;
    }
    if (runner.failure()) {
        tryLogStranger(LogCategory::Stream, spdlog::level::err, "rail failed", link.peer().name.value,
                       "{}: {}", railText(link), end.reason);
    }
    if (lost) {
        past_.lost += 1;
        noteDeparture(
            fmt::format("{} is gone: {}; the stream continues over the others", railText(link), end.reason));
    }
    for (const auto& other : runners_) {
        if (isAlive(other) && other.get() != &runner && other->link().rails() == link.rails()) {
            other->link().serveRail();  // what it had taken is theirs now
        }
    }
    return true;
}

/// True for one link of each receiver: the first of its rails that is there, or the only link.
bool Audience::isFirstRail(const Runner& runner) const {
    const auto& rails = runner.link().rails();
    if (!rails) {
        return true;
    }
    const auto first = std::ranges::find_if(
        runners_, [&](const auto& other) { return isAlive(other) && other->link().rails() == rails; });
    return first != runners_.end() && first->get() == &runner;
}

/// Puts the frame where the rails of a receiver take theirs from. Returns 1, for one receiver.
std::size_t Audience::pushToRails(SenderLink& first, const QueuedFrame& frame,
                                  const std::optional<QueuedFrame>& copied) {
    const auto& rails = first.rails();
    const TrackId track = frame.epoch->track;
    const auto eachRail = [&](const auto& visit) {
        for (const auto& runner : runners_) {
            if (isAlive(runner) && runner->link().rails() == rails) {
                visit(runner->link());
            }
        }
    };
    const QueuedFrame* suited = &frame;  // the one that all rails can send
    eachRail([&](SenderLink& link) {
        const QueuedFrame* of = suitedFor(link, frame, copied);
        suited = of == nullptr || suited == nullptr ? nullptr : of != &frame ? of : suited;
    });
    if (suited == nullptr) {
        first.countDropped(track);
        return 1;
    }
    eachRail([&](SenderLink& link) { link.foretell(frame.info); });
    for (std::uint64_t dropped = rails->queue(track).push(suited->share()); dropped > 0; --dropped) {
        first.countDropped(track);
    }
    eachRail([](SenderLink& link) { link.serveRail(); });
    return 1;
}

}  // namespace verbcast
