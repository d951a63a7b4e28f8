// The program of all targets: selects one by the name it is called by, and checks after each input that no
// descriptor or mapping was left behind.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/guarded_mappings.h"
#include "tests/fuzz/target.h"

namespace verbcast::fuzz {
namespace {

const Target* chosen = nullptr;

/// The lowest free descriptor: higher than before if one was left open.
int lowestDescriptor() {
    const int descriptor = ::dup(STDERR_FILENO);
    ::close(descriptor);
    return descriptor;
}

const char* baseName(const char* path) {
    const char* slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

}  // namespace
}  // namespace verbcast::fuzz

using namespace verbcast::fuzz;

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** arguments) {
    chosen = Target::find(baseName((*arguments)[0]));
    if (chosen == nullptr) {
        std::fprintf(stderr, "Call it by the name of a target, through a link:\n");
        for (const Target* target = Target::first(); target != nullptr; target = target->next) {
            std::printf("%s\n", target->name);
        }
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // An empty input creates everything that is created once and stays.
    static const bool begun = (chosen->run({}), true);
    static_cast<void>(begun);
    const int before = lowestDescriptor();
    chosen->run(std::as_bytes(std::span(data, size)));
    require(lowestDescriptor() == before, "a descriptor was left open");
    require(guardedMappings() == 0, "a mapping was left behind");
    return 0;
}
