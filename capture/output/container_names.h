// Forms in which pictures are written to a file or a pipe.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace verbcast {

enum class Container {
    Rawvideo,  ///< the pictures' bytes and nothing else
    Y4m,       ///< YUV4MPEG2: size, rate and format, no times; planar YUV and gray
    Nut,       ///< all that there is to say, and times
};

struct ContainerName {
    Container container;
    std::string_view name;
    std::array<std::string_view, 3> extensions;
};
inline constexpr std::array<ContainerName, 3> kContainers{
    {{Container::Nut, "nut", {".nut"}},
     {Container::Y4m, "y4m", {".y4m"}},
     {Container::Rawvideo, "rawvideo", {".raw", ".yuv", ".rgb"}}}};

}  // namespace verbcast
