// An incoming stream that may come over several rails at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/multirail/rail_merge.h"
#include "core/stream/receive/gathering.h"

namespace verbcast {

/// A sender that says which rail its connection is brings its frames to a RailMerge; another one is alone.
class RailGathering final : public Gathering {
  public:
    explicit RailGathering(ReceiverShared& shared) : Gathering(shared), merge_(shared.tracks) {}

    std::uint8_t laneOf(const Hello& sender) const override {
        return sender.isRail() ? sender.rail.index : 0;
    }
    bool takesLink(const Hello& sender) const override;
    std::string linkBegins(const PeerConnection& peer, bool others) override;
    void linkFailed(const Hello& sender) override;
    void linkEnded(const Hello& sender, SessionEnd& end, bool others) override;
    std::string nameOf(const Hello& sender, const ConnectionDescription& channel) const override;
    std::unique_ptr<Arrivals> arrivalsOf(const Hello& sender, std::uint8_t lane) override;
    void plugIn(ReceiverLink& link) override;
    std::vector<RailStats> stats() const override { return merge_.stats(); }

  private:
    RailMerge merge_;
    RailHello rails_{};           // of those that are there, or were there last
    std::uint64_t instance_ = 0;  // of their sender
    std::string key_;             // that they have shown
    std::uint32_t there_ = 0;     // a bit for each
    bool ended_ = false;          // one of them said that the stream is over
};

}  // namespace verbcast
