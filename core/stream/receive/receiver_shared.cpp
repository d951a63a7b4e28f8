#include "core/stream/receive/receiver_shared.h"

#include <numeric>

namespace verbcast {

std::uint64_t ReceiverShared::received() const {
    return std::transform_reduce(tracks.begin(), tracks.end(), std::uint64_t{0}, std::plus<>(),
                                 [](const IncomingTrack& track) { return track.received(); });
}

void ReceiverShared::wake() {
    for (IncomingTrack& track : tracks) {
        track.wake();
    }
}

}  // namespace verbcast
