// Containers for pictures and sound in a file or pipe.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/os/output_file.h"
#include "core/sound/sound_format.h"

namespace verbcast {

enum class Container {
    Rawvideo,   ///< the pictures' bytes only
    Y4m,        ///< YUV4MPEG2: size, rate and format, no times; planar YUV and gray
    Nut,        ///< all but colour and fields, and times
    Matroska,   ///< the whole format, and times
    Quicktime,  ///< the whole format, and times; what is encoded
    Mp4,        ///< likewise
    Wav,        ///< sound only
};

struct ContainerName {
    Container container;
    std::string_view name;
    std::array<std::string_view, 3> extensions;
    const char* muxer;     ///< FFmpeg's name
    bool holdsRaw = true;  ///< pictures that are not encoded
    bool holdsEncoded = true;
    bool saysColour = true;  ///< and HDR's metadata
    bool saysFields = true;
    bool hasTimes = true;
    bool holdsPictures = true;
    bool holdsSound = true;
};
inline constexpr std::array<ContainerName, 7> kContainers{
    {{.container = Container::Nut,
      .name = "nut",
      .extensions = {".nut"},
      .muxer = "nut",
      .saysColour = false,
      .saysFields = false},
     {.container = Container::Matroska, .name = "matroska", .extensions = {".mkv"}, .muxer = "matroska"},
     {.container = Container::Quicktime,
      .name = "mov",
      .extensions = {".mov"},
      .muxer = "mov",
      .holdsRaw = false},
     {.container = Container::Mp4,
      .name = "mp4",
      .extensions = {".mp4", ".m4v"},
      .muxer = "mp4",
      .holdsRaw = false},
     {.container = Container::Y4m,
      .name = "y4m",
      .extensions = {".y4m"},
      .muxer = "yuv4mpegpipe",
      .holdsEncoded = false,
      .saysColour = false,
      .hasTimes = false,
      .holdsSound = false},
     {.container = Container::Rawvideo,
      .name = "rawvideo",
      .extensions = {".raw", ".yuv", ".rgb"},
      .muxer = "rawvideo",
      .holdsEncoded = false,
      .saysColour = false,
      .saysFields = false,
      .hasTimes = false,
      .holdsSound = false},
     {.container = Container::Wav,
      .name = "wav",
      .extensions = {".wav"},
      .muxer = "wav",
      .holdsEncoded = false,
      .hasTimes = false,
      .holdsPictures = false}}};

constexpr const ContainerName& nameOf(Container container) {
    for (const ContainerName& name : kContainers) {
        if (name.container == container) {
            return name;
        }
    }
    return kContainers.front();
}

/// Those of ISO 14496-12: their edit lists say when a track begins.
constexpr bool hasBoxes(Container container) {
    return container == Container::Quicktime || container == Container::Mp4;
}

/// What to record into.
struct VideoFile {
    std::string path;  ///< "-": standard output
    Container container = Container::Nut;
    std::string encoder{};  ///< see PictureEncoder; empty: pictures are stored as they are
    Existing existing = Existing::Refused;
    bool pictures = true;                ///< false: sound only, as always in a .wav
    std::optional<SoundFormat> sound{};  ///< of all its sound; without it there is none
    /// FFmpeg's name of an encoder for sound, after commas options of it; empty: every sample is kept.
    std::string soundEncoder{};
};

}  // namespace verbcast
