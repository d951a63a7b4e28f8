// Content for files and pipes.
#pragma once

#include <cstddef>
#include <random>
#include <string>

namespace verbcast::testing {

/// Bytes that repeat nowhere soon: the same in every run, others for another size.
inline std::string noise(std::size_t bytes) {
    std::minstd_rand random(static_cast<unsigned>(bytes) + 1);
    std::string text(bytes, '\0');
    for (char& c : text) {
        c = static_cast<char>(random() >> 8);
    }
    return text;
}

}  // namespace verbcast::testing
