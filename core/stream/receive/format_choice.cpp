#include "core/stream/receive/format_choice.h"

namespace verbcast {

EpochFormat FormatChoice::choose(std::uint32_t /*epoch*/, const TrackFormat& announced,
                                 const MakeRing& /*makeRing*/) {
    EpochFormat format{.sent = announced, .told = announced};
    if (announced.kind == TrackKind::Video) {
        format.video = std::make_shared<const VideoFormat>(announced.video);
    }
    return format;
}

}  // namespace verbcast
