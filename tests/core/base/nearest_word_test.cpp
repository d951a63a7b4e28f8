#include "core/base/text/nearest_word.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

const std::vector<std::string> kOptions{"--format", "--fps", "--frames", "--size", "--from"};

TEST(NearestWord, IsFoundThroughOneSlip) {
    EXPECT_EQ(didYouMean("--fromat", kOptions), "did you mean --format?");
    EXPECT_EQ(didYouMean("--formt", kOptions), "did you mean --format?");
    EXPECT_EQ(didYouMean("--fsp", kOptions), "did you mean --fps?");
    EXPECT_EQ(didYouMean("--sise", kOptions), "did you mean --size?");
    EXPECT_EQ(didYouMean("--framess", kOptions), "did you mean --frames?");
    EXPECT_EQ(didYouMean("sned", {"view", "send"}), "did you mean send?");
}

TEST(NearestWord, IsNoGuess) {
    EXPECT_EQ(didYouMean("--listen", kOptions), "");
    EXPECT_EQ(didYouMean("x", {"send", "view"}), "");
    EXPECT_EQ(didYouMean("", kOptions), "");
    EXPECT_EQ(didYouMean("--format", {}), "");
    EXPECT_EQ(didYouMean(std::string(1U << 20, 'x'), kOptions), "");
}

TEST(NearestWord, OfEqualsIsTheFirst) {
    EXPECT_EQ(didYouMean("bat", {"cat", "hat"}), "did you mean cat?");
}

}  // namespace
}  // namespace verbcast::testing
