#include "core/flow/slot_count.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/session/messages/track.h"

namespace verbcast {

std::uint32_t checkedSlots(std::uint32_t slots, std::string_view name) {
    if (slots < kFewestSlots || slots > kMostSlots) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} {}: {} to {} expected", name, slots, kFewestSlots, kMostSlots));
    }
    return slots;
}

std::size_t checkedTracks(std::size_t tracks) {
    if (tracks < 1 || tracks > kMaxTracks) {
        throw Error(ErrorKind::Usage, fmt::format("{} tracks: 1 to {} expected", tracks, kMaxTracks));
    }
    return tracks;
}

}  // namespace verbcast
