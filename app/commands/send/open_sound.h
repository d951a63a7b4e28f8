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

/// Sound to be sent without pictures: that of --audio for kSoundSource, else a file's own. Null: the file has
/// none, or --audio says something else than auto. Throws as openSound() does, and Error{Usage} for options
/// that are about pictures, or about files if it is no file.
std::unique_ptr<SoundSource> openSoundAlone(const SendOptions& options, const SourceOptions& source,
                                            TimestampNs zero);

}  // namespace verbcast
