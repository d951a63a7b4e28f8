#include "core/multirail/rail_viewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "core/multirail/rail_lane.h"

namespace verbcast {

template <typename Visit>
void RailViewer::eachQueue(Visit&& visit) const {
    for (std::uint32_t bits = present_.load(std::memory_order_acquire); bits != 0; bits &= bits - 1) {
        const auto track = static_cast<TrackId>(std::countr_zero(bits));
        visit(track, *queues_[track]);
    }
}

bool RailViewer::anyUp() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(rails_, &Rail::up);
}

bool RailViewer::takesLink(const Hello& peer) const {
    return peer.isRail() && peer.rail.stream == hello_.stream && anyUp();
}

std::optional<Refuse> RailViewer::objectionTo(const Hello& peer) const {
    const std::lock_guard lock(mutex_);
    if (!rails_[peer.rail.index].up) {
        return std::nullopt;
    }
    return Refuse{RefuseCode::Busy, fmt::format("the connection before this one, rail {}, has not ended yet",
                                                peer.rail.index + 1)};
}

/// Why that caller cannot be one of the rails; "": it can. Call with mutex_ held.
std::string RailViewer::misfitOf(const RailHello& rail, std::uint64_t instance,
                                 const PeerTrust& trust) const {
    if (rail.mode != hello_.mode || rail.count != hello_.count) {
        return fmt::format("rail {} says {} rails, {}; the stream has {}, {}", rail.index + 1, rail.count,
                           verbcast::nameOf(rail.mode), hello_.count, verbcast::nameOf(hello_.mode));
    }
    if (instance != instance_) {
        return fmt::format("rail {} leads to another program than the first: give addresses of one host",
                           rail.index + 1);
    }
    if (rails_[rail.index].up) {
        return fmt::format("rail {} is already connected", rail.index + 1);
    }
    const bool first = std::ranges::none_of(rails_, &Rail::up);
    if (!first && (trust.keyName != trust_.keyName || trust.grants != trust_.grants)) {
        return fmt::format("rail {} shows another key than the first", rail.index + 1);
    }
    return "";
}

std::string RailViewer::linkBegins(const PeerConnection& peer) {
    if (peer.connection.frames && peer.connection.frames->sharesMemory()) {
        throw peerError("shared memory cannot be a rail: there is no second path within one host");
    }
    const RailHello& rail = peer.hello.rail;
    const std::lock_guard lock(mutex_);
    if (const std::string misfit = misfitOf(rail, peer.hello.instance, peer.trust); !misfit.empty()) {
        throw Error(ErrorKind::Peer, misfit);
    }
    trust_ = peer.trust;
    Rail& one = rails_[rail.index];
    const bool back = std::exchange(one.known, true);
    one.up = true;
    one.lost = false;
    one.channel = peer.connection.messages->description();
    eachQueue([&](TrackId, RailQueue& queue) { queue.joined(rail.index); });
    return back ? fmt::format("rail {} of {} to {} is there again: {}", rail.index + 1, rail.count,
                              peer.hello.name.value, one.channel.peer)
                : "";
}

void RailViewer::linkEnded(const Hello& peer, bool lost) {
    const std::uint8_t rail = peer.rail.index;
    const std::lock_guard lock(mutex_);
    Rail& one = rails_[rail];
    if (!std::exchange(one.up, false)) {
        return;
    }
    one.lost = lost;
    one.timesDown += lost ? 1 : 0;
    const bool last = std::ranges::none_of(rails_, &Rail::up);
    // What nobody has any more is dropped, and so is what of a live stream was to leave by the last.
    eachQueue([&](TrackId track, RailQueue& queue) {
        std::uint64_t dropped = queue.gone(rail);
        if (last && mayDrop(policyOf(track))) {
            const std::size_t unheard = queue.takeAll().size();
            dropped += lost ? unheard : 0;
        }
        tally(track).countDropped(dropped);
    });
}

RailQueue& RailViewer::queue(TrackId track, const Room& room) {
    if ((present_.load(std::memory_order_acquire) >> track & 1U) == 0) {
        const std::lock_guard lock(mutex_);
        if (!queues_[track]) {
            queues_[track] =
                std::make_unique<RailQueue>(hello_.mode, policyOf(track), room.slots, room.waiting);
            for (std::uint8_t rail = 0; rail < kMaxRails; ++rail) {
                if (rails_[rail].up) {
                    queues_[track]->joined(rail);
                }
            }
            present_.fetch_or(1U << track, std::memory_order_release);
        }
    }
    return *queues_[track];
}

std::unique_ptr<TrackQueue> RailViewer::makeQueue(TrackId track, TrackKind kind, const SenderLink& link) {
    return std::make_unique<RailLane>(*this, link.peer().rail.index, track, roomFor(kind));
}

void RailViewer::countSent(std::uint8_t rail, std::uint64_t bytes, bool first) {
    sent_[rail].frames.fetch_add(1, std::memory_order_relaxed);
    sent_[rail].bytes.fetch_add(bytes, std::memory_order_relaxed);
    sent_[rail].first.fetch_add(first ? 1 : 0, std::memory_order_relaxed);
}

void RailViewer::push(const QueuedFrame& frame) {
    const SenderLink& first = link();
    eachLink([&](SenderLink& each) {
        if (&each != &first) {
            each.turnDown(frame);  // another may bring it: what changes then is known
        }
    });
    eachLink([&](SenderLink& each) {
        if (&each == &first) {
            each.push(frame.share());
        } else {
            each.loop().serveNow();
        }
    });
}

std::vector<QueuedFrame> RailViewer::takeUnaccepted(SenderLink& ended, bool lost) {
    static_cast<void>(ended.takeUnaccepted(lost));
    if (anyUp()) {
        eachLink([](SenderLink& each) { each.loop().serveNow(); });  // what it had taken is theirs now
        return {};
    }
    std::vector<QueuedFrame> frames;
    eachQueue([&](TrackId track, RailQueue& queue) {
        if (!mayDrop(policyOf(track))) {
            std::ranges::move(queue.takeAll(), std::back_inserter(frames));
        }
    });
    return frames;
}

std::string RailViewer::nameOf(const SenderLink& link) const {
    return fmt::format("rail {} of {} to {} ({} from {})", link.peer().rail.index + 1, hello_.count,
                       link.peer().name.value, link.description().peer, link.description().local);
}

ReceiverStats RailViewer::stats(const SenderLink& link) const {
    ReceiverStats all = Viewer::stats(link);
    const std::lock_guard lock(mutex_);
    for (std::uint8_t rail = 0; rail < hello_.count; ++rail) {
        const Rail& each = rails_[rail];
        RailStats& stats = all.viewer.rails.emplace_back();
        stats.number = rail + 1U;
        stats.transport = each.channel.transport;
        stats.local = each.channel.local;
        stats.peer = each.channel.peer;
        stats.up = each.up;
        stats.lost = each.lost;
        stats.timesDown = each.timesDown;
        stats.frames = sent_[rail].frames;
        stats.bytes = sent_[rail].bytes;
        stats.first = sent_[rail].first;
    }
    return all;
}

}  // namespace verbcast
