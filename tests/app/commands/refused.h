// Command lines that are refused, as parameters of tests.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace verbcast::testing {

/// A command line that is refused immediately.
struct Refused {
    std::string name;
    std::vector<std::string> arguments;
    int exitCode;
    std::vector<std::string> says;
};
inline void PrintTo(const Refused& refused, std::ostream* out) {
    *out << refused.name;
}

inline std::string refusedName(const ::testing::TestParamInfo<Refused>& refused) {
    return refused.param.name;
}

}  // namespace verbcast::testing
