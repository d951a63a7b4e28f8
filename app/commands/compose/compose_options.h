// Options of `verbcast compose`.
#pragma once

#include <vector>

#include "app/commands/send/sending_options.h"

namespace verbcast {

/// How to merge parts into one picture: see --by.
enum class MergeBy {
    Depth,  ///< each pixel from the nearest part
    Order,  ///< one behind the other, the first in front, by alpha
};

struct ComposeOptions : SendingOptions {
    std::vector<StreamPeer> parts;  ///< senders; at least two
    MergeBy by = MergeBy::Depth;
    bool keepDepth = false;                    ///< also send the depths of the merged picture
    std::optional<std::uint64_t> maxMemory{};  ///< for received frames in bytes; see RingMemory
};

}  // namespace verbcast
