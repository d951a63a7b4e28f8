#include "core/base/text/nearest_word.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

const std::vector<std::string> kOptions{"--format", "--fps", "--frames", "--size", "--from"};

TEST(NearestWord, IsFoundThroughOneSlip) {
    EXPECT_EQ(nearestWord("--fromat", kOptions), "--format");
    EXPECT_EQ(nearestWord("--formt", kOptions), "--format");
    EXPECT_EQ(nearestWord("--fsp", kOptions), "--fps");
    EXPECT_EQ(nearestWord("--sise", kOptions), "--size");
    EXPECT_EQ(nearestWord("--framess", kOptions), "--frames");
    EXPECT_EQ(nearestWord("sned", {"view", "send"}), "send");
}

TEST(NearestWord, IsNoGuess) {
    EXPECT_EQ(nearestWord("--listen", kOptions), "");
    EXPECT_EQ(nearestWord("x", {"send", "view"}), "");
    EXPECT_EQ(nearestWord("", kOptions), "");
    EXPECT_EQ(nearestWord("--format", {}), "");
    EXPECT_EQ(nearestWord(std::string(1U << 20, 'x'), kOptions), "");
}

TEST(NearestWord, OfEqualsIsTheFirst) {
    EXPECT_EQ(nearestWord("bat", {"cat", "hat"}), "cat");
}

}  // namespace
}  // namespace verbcast::testing
