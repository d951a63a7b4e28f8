// The order of frames that arrive over several rails.
#pragma once

#include "core/session/messages/messages.h"

namespace verbcast {

/// Sender: the track's frame `sequence` comes right after `follows`; those between were dropped before any
/// rail sent them. `begins`: none comes before it.
struct RailOrder {
    static constexpr MessageType kType = MessageType::RailOrder;
    TrackId track = 0;
    std::uint64_t sequence = 0;
    bool begins = false;
    std::uint64_t follows = 0;
    template <typename Self, typename Visit>
    static void fields(Self& self, Visit& visit) {
        visit(self.track);
        visit(self.sequence);
        visit(self.begins);
        visit(self.follows);
    }
    /// Throws Error{Peer} for an impossible order.
    void check() const;
};

}  // namespace verbcast
