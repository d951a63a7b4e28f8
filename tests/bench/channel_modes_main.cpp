// The tests of sweep and rpc measure between two processes: like verbcast, this program is both.
#include <gtest/gtest.h>

#include <cstring>

#include "app/bench/workers/worker.h"

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "bench-worker") == 0) {
        return verbcast::runWorker({argv[2]});
    }
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
