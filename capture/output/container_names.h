// Containers for pictures in a file or pipe.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/base/output_file.h"

namespace verbcast {

enum class Container {
    Rawvideo,   ///< the pictures' bytes only
    Y4m,        ///< YUV4MPEG2: size, rate and format, no times; planar YUV and gray
    Nut,        ///< all but colour, and times
    Matroska,   ///< the whole format, and times
    Quicktime,  ///< the whole format, and times; what is encoded
    Mp4,        ///< likewise
};

struct ContainerName {
    Container container;
    std::string_view name;
    std::array<std::string_view, 3> extensions;
    const char* muxer;     ///< FFmpeg's name
    bool holdsRaw = true;  ///< pictures that are not encoded
    bool holdsEncoded = true;
};
inline constexpr std::array<ContainerName, 6> kContainers{
    {{Container::Nut, "nut", {".nut"}, "nut"},
     {Container::Matroska, "matroska", {".mkv"}, "matroska"},
     {Container::Quicktime, "mov", {".mov"}, "mov", false},
     {Container::Mp4, "mp4", {".mp4", ".m4v"}, "mp4", false},
     {Container::Y4m, "y4m", {".y4m"}, "yuv4mpegpipe", true, false},
     {Container::Rawvideo, "rawvideo", {".raw", ".yuv", ".rgb"}, "rawvideo", true, false}}};

constexpr const ContainerName& nameOf(Container container) {
    for (const ContainerName& name : kContainers) {
        if (name.container == container) {
            return name;
        }
    }
    return kContainers.front();
}

/// What to record into.
struct VideoFile {
    std::string path;  ///< "-": standard output
    Container container = Container::Nut;
    std::string encoder{};  ///< see PictureEncoder; empty: pictures are stored as they are
    Existing existing = Existing::Refused;
};

}  // namespace verbcast
