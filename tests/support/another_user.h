// Another user of this machine, for tests that run as root.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

namespace verbcast::testing {

/// Makes the whole process act as that user while it lives: sockets belong to the user who creates them.
class AnotherUser {
  public:
    AnotherUser() { EXPECT_EQ(::seteuid(65534), 0); }
    ~AnotherUser() { EXPECT_EQ(::seteuid(0), 0); }
    AnotherUser(const AnotherUser&) = delete;
    AnotherUser& operator=(const AnotherUser&) = delete;
};

}  // namespace verbcast::testing
