// The RDMA tests. Child processes run this program again: see child_roles.h.
#include <gtest/gtest.h>

#include <cstring>
#include <exception>
#include <iostream>

#include "tests/core/transport/rdma/child_roles.h"

int main(int argc, char** argv) {
    try {
        if (argc == 3 && std::strcmp(argv[1], "--stream-for-ever") == 0) {
            return verbcast::testing::streamForEver(argv[2]);
        }
        if (argc == 3 && std::strcmp(argv[1], "--connect-over-a-removal") == 0) {
            return verbcast::testing::connectOverARemoval(argv[2]);
        }
        if (argc == 2 && std::strcmp(argv[1], "--wait-idly") == 0) {
            return verbcast::testing::waitIdly();
        }
        if (argc == 2 && std::strcmp(argv[1], "--call-without-an-answer") == 0) {
            return verbcast::testing::callWithoutAnAnswer();
        }
        if (argc == 3 && std::strcmp(argv[1], "--call-again-and-again") == 0) {
            return verbcast::testing::callAgainAndAgain(argv[2]);
        }
        if (argc == 2 && std::strcmp(argv[1], "--register-with-little-memory") == 0) {
            return verbcast::testing::registerWithLittleMemory();
        }
    } catch (const std::exception& error) {
        std::cerr << "child: " << error.what() << std::endl;
        return 1;
    }
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
