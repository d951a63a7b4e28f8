// Writes all seeds into a folder: run scripts/fuzz --seeds after a message has changed.
#include <cstdio>

#include "tests/fuzz/seed_writer.h"

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
        return 2;
    }
    const std::filesystem::path seeds = arguments[1];
    verbcast::fuzz::writeDecoderSeeds(seeds);
    verbcast::fuzz::writeTextSeeds(seeds);
    verbcast::fuzz::writeLinkSeeds(seeds);
    verbcast::fuzz::writeTransportSeeds(seeds);
    verbcast::fuzz::writeMulticastSeeds(seeds);
    return 0;
}
