// What is written for one of several streams.
#pragma once

#include <cstdint>
#include <string>

namespace verbcast {

/// Stands for a stream's number in a file's name.
inline constexpr const char* kStreamMark = "%n";

/// "take-%n.nut" for the second stream: "take-2.nut". 0, the only one: as it is.
inline std::string nameOfStream(std::string path, std::uint32_t number) {
    const std::string text = std::to_string(number);
    for (std::size_t at = 0; number != 0 && (at = path.find(kStreamMark, at)) != std::string::npos;
         at += text.size()) {
        path.replace(at, 2, text);
    }
    return path;
}

}  // namespace verbcast
