// The transport tests. A Caller runs this program again: see caller.h.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/core/transport/caller.h"

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "--call") == 0) {
        verbcast::testing::callForEver(argv[2]);
    }
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
