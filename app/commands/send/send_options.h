// Options of `verbcast send`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/send/sending_options.h"
#include "capture/frame_source.h"

namespace verbcast {

/// A source that is the sound of --audio, without pictures.
inline constexpr const char* kSoundSource = "sound";

struct SendOptions : SendingOptions {
    std::vector<std::string> sources;  ///< at least one; a stream for each
    bool stereo = false;               ///< two sources are one stream: a picture for each eye
    std::vector<std::string> names;    ///< of the streams, as viewers see them; none, or one per stream
    std::optional<PictureSize> size;
    std::string audio = "auto";    ///< "auto": the source's own; "none", "tone", or a device's name
    std::uint32_t audioTrack = 1;  ///< of files; 0: all
    /// Of each source; the rest follows from the other options when it is opened.
    SourceOptions source{.source = {}, .decoder = Decoder::Auto};
};

}  // namespace verbcast
