// Whose sound a mosaic sends.
#pragma once

#include <cstddef>
#include <string_view>

namespace verbcast::mosaic {

struct AudioFrom {
    enum class Way {
        Focus,  ///< the input in focus; if that has never had any, the first that has
        Input,  ///< always the same one
        Mix,    ///< all
        None,
    };
    Way way = Way::Focus;
    std::size_t input = 0;  ///< Way::Input: which, from 0

    friend bool operator==(const AudioFrom&, const AudioFrom&) = default;
};

/// For help.
inline constexpr const char* kAudioFromValue = "focus|N|mix|none";

/// "2", counted from 1: see kAudioFromValue. `inputs`: how many there are. Throws Error{Usage}.
AudioFrom parseAudioFrom(std::string_view text, std::size_t inputs);

}  // namespace verbcast::mosaic
