#include "core/multirail/rail_gathering.h"

#include <fmt/format.h>

#include <utility>

#include "core/stream/receive/receiver_link.h"

namespace verbcast {
namespace {

static_assert(kMaxRails <= kMaxLanes);

class RailArrivals final : public Arrivals {
  public:
    RailArrivals(RailMerge& merge, const Hello& sender)
        : merge_(merge), rail_(sender.rail.index), instance_(sender.instance) {}

    std::uint64_t next(TrackId track) const override { return merge_.next(track, instance_); }
    bool alone() const override { return false; }
    void arrived(ReceivedFrame&& frame) override { merge_.arrived(rail_, instance_, std::move(frame)); }
    bool flush() override { return merge_.flush(); }
    bool empty() const override { return merge_.empty(); }

  private:
    RailMerge& merge_;
    const std::uint8_t rail_;
    const std::uint64_t instance_;
};

/// Hears which frames follow each other.
class RailOrders final : public SinkFeature {
  public:
    RailOrders(RailMerge& merge, std::uint64_t instance, std::size_t tracks)
        : merge_(merge), instance_(instance), tracks_(tracks) {}

    bool onMessage(MessageType type, ByteReader& reader) override {
        if (type != MessageType::RailOrder) {
            return false;
        }
        const RailOrder order = decodeMessage<RailOrder>(reader);
        if (order.track < tracks_) {
            merge_.order(instance_, order);
        }
        return true;
    }

  private:
    RailMerge& merge_;
    const std::uint64_t instance_;
    const std::size_t tracks_;
};

}  // namespace

bool RailGathering::takesLink(const Hello& sender) const {
    return sender.isRail() && there_ != 0 && rails_.count == sender.rail.count &&
           rails_.mode == sender.rail.mode && rails_.stream == sender.rail.stream &&
           (there_ >> sender.rail.index & 1U) == 0;
}

std::string RailGathering::linkBegins(const PeerConnection& peer, bool others) {
    const Hello& sender = peer.hello;
    if (!sender.isRail()) {
        return "";
    }
    const RailHello& rail = sender.rail;
    if (others && sender.instance != instance_) {
        throw peerError("rail {} leads to another sender than the first: give addresses of one host",
                        rail.index + 1);
    }
    if (others && peer.trust.keyName != key_) {
        throw peerError("rail {} shows another key than the first", rail.index + 1);
    }
    if (peer.connection.frames && peer.connection.frames->sharesMemory()) {
        throw peerError("shared memory cannot be a rail: there is no second path within one host");
    }
    if (!others) {
        ended_ = false;
        instance_ = sender.instance;
    }
    rails_ = rail;
    key_ = peer.trust.keyName;
    there_ |= 1U << rail.index;
    const ConnectionDescription& channel = peer.connection.messages->description();
    const bool back = merge_.joined(rail.index, rail.count, rail.mode, sender.instance, channel);
    return back && others ? fmt::format("rail {} of {} is there again: {} ({})", rail.index + 1, rail.count,
                                        sender.name.value, channel.peer)
                          : "";
}

void RailGathering::linkFailed(const Hello& sender) {
    if (sender.isRail()) {
        there_ &= ~(1U << sender.rail.index);
        merge_.gone(sender.rail.index, true);
    }
}

void RailGathering::linkEnded(const Hello& sender, SessionEnd& end, bool others) {
    if (!sender.isRail()) {
        return;
    }
    const bool lost = end.isLoss();
    there_ &= ~(1U << sender.rail.index);
    merge_.gone(sender.rail.index, lost && !ended_);
    ended_ |= end.kind == SessionEnd::Kind::Orderly;
    if (!others && ended_ && lost) {
        end.kind = SessionEnd::Kind::Orderly;  // the others had all frames by then
    }
}

std::string RailGathering::nameOf(const Hello& sender, const ConnectionDescription& channel) const {
    return fmt::format("rail {} of {} is gone ({} to {})", sender.rail.index + 1, sender.rail.count,
                       channel.local, channel.peer);
}

std::unique_ptr<Arrivals> RailGathering::arrivalsOf(const Hello& sender, std::uint8_t lane) {
    return sender.isRail() ? std::make_unique<RailArrivals>(merge_, sender)
                           : Gathering::arrivalsOf(sender, lane);
}

void RailGathering::plugIn(ReceiverLink& link) {
    if (link.peer().isRail()) {
        link.plugIn(std::make_unique<RailOrders>(merge_, link.peer().instance, shared_.tracks.size()));
    }
}

}  // namespace verbcast
