// How the links of an incoming stream make one sequence of frames.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/session/greeting/peer_connection.h"
#include "core/session/messages/session_end.h"
#include "core/stats/viewer_stats.h"
#include "core/stream/receive/receiver_shared.h"

namespace verbcast {

class ReceiverLink;

/// What becomes of frames that arrive over one link. Used by the thread that serves it.
class Arrivals {
  public:
    virtual ~Arrivals() = default;
    /// All frames of that track before this one have arrived, or will not come.
    virtual std::uint64_t next(TrackId track) const = 0;
    /// The link brings every frame of the stream, in order: what it leaves out is missing.
    virtual bool alone() const { return true; }
    /// Of a track that is wanted. Throws Error{Peer} for more frames than there are slots.
    virtual void arrived(ReceivedFrame&& frame) = 0;
    /// Hands on what waited for its consumer. Returns true if there was any.
    virtual bool flush() { return false; }
    /// Whether nothing waits.
    virtual bool empty() const { return true; }
};

/// One link at a time: its frames go straight to their consumers. The owner's lock guards all calls.
class Gathering {
  public:
    explicit Gathering(ReceiverShared& shared) : shared_(shared) {}
    virtual ~Gathering() = default;

    /// The connection's place among those of the stream, from 0.
    virtual std::uint8_t laneOf(const Hello& /*sender*/) const { return 0; }
    /// Whether that sender's connection belongs beside those that are there.
    virtual bool takesLink(const Hello& /*sender*/) const { return false; }
    /// A connection begins; `others` are there. Throws Error{Peer} for one that does not fit these. Returns
    /// what is to be told of it, if anything.
    virtual std::string linkBegins(const PeerConnection& /*peer*/, bool /*others*/) { return ""; }
    /// It did not begin after all.
    virtual void linkFailed(const Hello& /*sender*/) {}
    /// It has ended so; may correct that for the stream, once no others are there.
    virtual void linkEnded(const Hello& /*sender*/, SessionEnd& /*end*/, bool /*others*/) {}
    /// "rail 2 of 2 is gone (10.0.2.1:40122 to 10.0.2.2:7423)": if others go on.
    virtual std::string nameOf(const Hello& sender, const ConnectionDescription& channel) const;
    /// Of one link, the sender's in that lane.
    virtual std::unique_ptr<Arrivals> arrivalsOf(const Hello& sender, std::uint8_t lane);
    virtual void plugIn(ReceiverLink& /*link*/) {}
    virtual std::vector<RailStats> stats() const { return {}; }

  protected:
    ReceiverShared& shared_;
};

}  // namespace verbcast
