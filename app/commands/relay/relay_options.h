// Options of `verbcast relay`.
#pragma once

#include "app/commands/send/sending_options.h"

namespace verbcast {

struct RelayOptions : SendingOptions {
    StreamPeer from{};
    std::optional<std::uint64_t> maxMemory{};  ///< for received frames in bytes; see RingMemory
};

}  // namespace verbcast
