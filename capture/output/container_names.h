// Containers for pictures in a file or pipe.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace verbcast {

enum class Container {
    Rawvideo,  ///< the pictures' bytes only
    Y4m,       ///< YUV4MPEG2: size, rate and format, no times; planar YUV and gray
    Nut,       ///< the whole format, and times
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
