#include "core/transport/callers.h"

#include <gtest/gtest.h>

#include <vector>

namespace verbcast::testing {
namespace {

struct Caller {
    std::string host;
    int id = 0;
    int said = 0;
};

class CallerLimitsTest : public ::testing::Test {
  protected:
    void add(const std::string& host, int count, int said = 0) {
        for (int i = 0; i < count; ++i) {
            callers_.push_back({host, static_cast<int>(callers_.size()), said});
        }
    }
    /// The number of the caller to drop; -1: there is room.
    int dropped(const std::string& host) {
        const auto out = callerToDrop(callers_, host, {.total = 6, .perHost = 4},
                                      [](const Caller& caller) { return caller.said; });
        return out == callers_.end() ? -1 : out->id;
    }

    std::vector<Caller> callers_;
};

TEST_F(CallerLimitsTest, WhileThereIsRoomNobodyGoes) {
    EXPECT_EQ(dropped("a"), -1);
    add("a", 3);
    add("b", 2);
    EXPECT_EQ(dropped("a"), -1);
}

TEST_F(CallerLimitsTest, AHostThatHasItsShareMakesRoomItself) {
    add("b", 1);
    add("a", 4);
    EXPECT_EQ(dropped("a"), 1) << "the oldest of a";
    EXPECT_EQ(dropped("b"), -1);
}

TEST_F(CallerLimitsTest, ACrowdMakesRoomForAnotherHost) {
    add("b", 1);
    add("c", 1);
    add("a", 4);
    EXPECT_EQ(dropped("d"), 2) << "the oldest of a";
    EXPECT_EQ(dropped("b"), 2);
    EXPECT_EQ(dropped("a"), 2);
}

TEST_F(CallerLimitsTest, OfACrowdThoseGoFirstThatRankLowest) {
    add("b", 2);
    add("a", 2, 1);
    add("a", 2, 0);
    EXPECT_EQ(dropped("d"), 4) << "b has less, the first of a have said something";
}

TEST_F(CallerLimitsTest, AmongEqualHostsTheOldestGoes) {
    add("b", 3);
    add("a", 3);
    EXPECT_EQ(dropped("c"), 0);
}

}  // namespace
}  // namespace verbcast::testing
