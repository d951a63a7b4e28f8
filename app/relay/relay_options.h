// Options of `verbcast relay`.
#pragma once

#include "app/send/sending_options.h"

namespace verbcast {

struct RelayOptions : SendingOptions {
    StreamPeer from;
};

}  // namespace verbcast
