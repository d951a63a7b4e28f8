#include "tests/fuzz/target.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace verbcast::fuzz {
namespace {

const Target*& head() {
    static const Target* all = nullptr;
    return all;
}

}  // namespace

Target::Target(const char* nameOfTarget, void (*runOnce)(Bytes))
    : name(nameOfTarget), run(runOnce), next(std::exchange(head(), this)) {}

const Target* Target::first() {
    return head();
}

const Target* Target::find(const char* name) {
    for (const Target* target = head(); target != nullptr; target = target->next) {
        if (std::strcmp(target->name, name) == 0) {
            return target;
        }
    }
    return nullptr;
}

void trace(std::string_view what) {
    static const bool wanted = std::getenv("VERBCAST_FUZZ_TRACE") != nullptr;
    if (wanted) {
        std::fprintf(stderr, "trace: %.*s\n", static_cast<int>(what.size()), what.data());
    }
}

void fault(const char* what) {
    std::fprintf(stderr, "FAULT: %s\n", what);
    std::abort();
}

}  // namespace verbcast::fuzz
