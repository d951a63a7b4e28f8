// Content for files and pipes.
#pragma once

#include <cstddef>
#include <random>
#include <string>

namespace verbcast::testing {

/// Bytes without early repetition: the same in every run, different for each size.
inline std::string noise(std::size_t bytes) {
    std::minstd_rand random(static_cast<unsigned>(bytes) + 1);
    std::string text(bytes, '\0');
    for (char& c : text) {
        c = static_cast<char>(random() >> 8);
    }
    return text;
}

}  // namespace verbcast::testing
