// Skips tests that lack something which scripts/packages.sh installs.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace verbcast::testing {

/// Whether everything that scripts/packages.sh installs is required: VERBCAST_REQUIRE_ALL=1, as set by CI.
inline bool packagesAreRequired() {
    const char* value = std::getenv("VERBCAST_REQUIRE_ALL");
    return value != nullptr && std::string_view(value) == "1";
}

}  // namespace verbcast::testing

/// Like GTEST_SKIP(), if such a package is missing; fails if packages are required.
#define SKIP_FOR_WANT_OF_A_PACKAGE()                                         \
    return GTEST_MESSAGE_("", ::verbcast::testing::packagesAreRequired()     \
                                  ? ::testing::TestPartResult::kFatalFailure \
                                  : ::testing::TestPartResult::kSkip)
