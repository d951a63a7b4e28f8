// What tests of GPUs expect of errors, and content to copy.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/expectations.h"

namespace verbcast::testing {

/// The message and remedy of what `work` throws; expects an Error of that kind.
template <typename Work>
std::string errorOf(ErrorKind kind, Work&& work) {
    const Error error = thrownBy(work);
    EXPECT_EQ(error.kind(), kind) << error.what();
    return std::string(error.what()) + " | " + error.remedy();
}

inline std::vector<std::byte> noiseOf(std::size_t bytes, int seed) {
    std::vector<std::byte> noise(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
        noise[i] = static_cast<std::byte>(i * 31 + i / 251 + static_cast<std::size_t>(seed));
    }
    return noise;
}

}  // namespace verbcast::testing
