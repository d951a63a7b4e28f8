// The sound that goes with a source's pictures.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/send/send_options.h"
#include "app/commands/send/source_sound.h"
#include "capture/frame_source.h"

namespace verbcast {

struct SoundWish {
    std::string audio = "auto";   ///< "auto": the source's own; "none", "tone", or a device's name
    std::uint32_t track = 1;      ///< of files; 0: all
    bool atAnotherSpeed = false;  ///< than that of files
};

/// Of `pictures`, which were opened as `source`, and of which nothing was captured yet. Null: none. `zero`:
/// of its time. `notes`: why there is none, where one might expect some. Throws Error{Usage, Input, Device}
/// for sound that was asked for by name.
std::unique_ptr<SourceSound> openSound(const SoundWish& wish, const SourceOptions& source,
                                       FrameSource& pictures, TimestampNs zero,
                                       std::vector<std::string>& notes);

/// Sound to be sent without pictures: that of --audio for kSoundSource, else a file's own. Null: the file has
/// none, or --audio says something else than auto. `piped`: of NoVideo. Throws as openSound() does, and
/// Error{Usage} for options that are about pictures, or about files if it is no file.
std::unique_ptr<SoundSource> openSoundAlone(const SendOptions& options, const SourceOptions& source,
                                            TimestampNs zero, std::shared_ptr<SoundInput> piped = {});

}  // namespace verbcast
