// Which of FFmpeg's encoders to use, and how, as a user names it.
#pragma once

#include <string>
#include <string_view>

extern "C" {
#include <libavutil/dict.h>
}

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

struct EncoderChoice {
    const AVCodec* codec;
    std::string name;
    DictionaryPtr options;
};

/// `asked`: FFmpeg's name of the encoder, after commas options of it: "libx264,preset=veryfast,crf=12".
/// `option`: where the user said so, "--encoder". `ours`: an option that the caller understands, and takes
/// out of the dictionary. Throws Error{Usage} if there is no such encoder of that kind, or no such option, or
/// if `muxer` does not hold what it makes.
EncoderChoice chooseEncoder(const char* option, AVMediaType kind, const std::string& asked,
                            const AVOutputFormat& muxer, std::string_view ours = {});

}  // namespace verbcast
