#include "core/stream/receive/gathering.h"

#include <utility>

namespace verbcast {
namespace {

class StraightArrivals final : public Arrivals {
  public:
    StraightArrivals(ReceiverShared& shared, std::uint8_t lane) : tracks_(shared.tracks), lane_(lane) {}

    std::uint64_t next(TrackId track) const override { return tracks_[track].record(lane_).nextSequence; }
    void arrived(ReceivedFrame&& frame) override { tracks_[frame.info.track].arrived(std::move(frame)); }

  private:
    std::deque<IncomingTrack>& tracks_;
    const std::uint8_t lane_;
};

}  // namespace

std::string Gathering::nameOf(const Hello& sender, const ConnectionDescription& /*channel*/) const {
    return sender.name.value;
}

std::unique_ptr<Arrivals> Gathering::arrivalsOf(const Hello& /*sender*/, std::uint8_t lane) {
    return std::make_unique<StraightArrivals>(shared_, lane);
}

}  // namespace verbcast
