#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "app/bench/modes/bench_modes.h"

namespace verbcast {

BenchProgress::BenchProgress(bool quiet) : shown_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

BenchProgress::~BenchProgress() {
    clear();
}

void BenchProgress::step(std::size_t index, std::size_t count, const std::string& text) {
    if (shown_) {
        fmt::print(stderr, "\r\033[K[{}/{}] {}", index, count, text);
        std::fflush(stderr);
        dirty_ = true;
    }
}

void BenchProgress::clear() {
    if (dirty_) {
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
        dirty_ = false;
    }
}

}  // namespace verbcast
