// The sound that goes with what `verbcast send` sends.
#pragma once

#include <memory>

#include "app/commands/send/send_options.h"
#include "app/commands/send/sent_sound.h"

namespace verbcast {

/// As --audio and --audio-track say, for one of the sources, which was opened as `options` and has captured
/// nothing yet. Null: none. `zero`: of its time. `notes`: why there is none, where one might expect some.
/// Throws Error{Usage, Input, Device} for sound that was asked for by name.
std::unique_ptr<SentSound> openSound(const SendOptions& options, const SourceOptions& source,
                                     FrameSource& pictures, TimestampNs zero,
                                     std::vector<std::string>& notes);

}  // namespace verbcast
