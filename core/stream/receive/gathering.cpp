#include "core/stream/receive/gathering.h"

#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

class StraightArrivals final : public Arrivals {
  public:
    StraightArrivals(ReceiverShared& shared, const TrackRecord* records)
        : shared_(shared), records_(records) {}

    std::uint64_t next(TrackId track) const override { return records_[track].nextSequence; }
    void arrived(ReceivedFrame&& frame) override {
        shared_.countArrived(frame);
        if (!shared_.inbox.push(std::move(frame))) {
            throw Error(ErrorKind::Peer, "the peer sent more frames than there are slots");
        }
    }

  private:
    ReceiverShared& shared_;
    const TrackRecord* const records_;
};

}  // namespace

std::string Gathering::nameOf(const Hello& sender, const ConnectionDescription& /*channel*/) const {
    return sender.name.value;
}

std::unique_ptr<Arrivals> Gathering::arrivalsOf(const Hello& /*sender*/, const TrackRecord* records) {
    return std::make_unique<StraightArrivals>(shared_, records);
}

}  // namespace verbcast
