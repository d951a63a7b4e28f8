// Tests that lack something which scripts/packages.sh installs.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace verbcast::testing {

/// Whether what scripts/packages.sh installs must be there: VERBCAST_REQUIRE_ALL=1, as continuous integration
/// sets.
inline bool packagesAreRequired() {
    const char* value = std::getenv("VERBCAST_REQUIRE_ALL");
    return value != nullptr && std::string_view(value) == "1";
}

}  // namespace verbcast::testing

/// As GTEST_SKIP(), for want of such a package; a failure where they are required.
#define SKIP_FOR_WANT_OF_A_PACKAGE()                                         \
    return GTEST_MESSAGE_("", ::verbcast::testing::packagesAreRequired()     \
                                  ? ::testing::TestPartResult::kFatalFailure \
                                  : ::testing::TestPartResult::kSkip)
