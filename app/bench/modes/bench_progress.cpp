#include <unistd.h>

#include "app/bench/modes/bench_modes.h"
#include "core/base/os/standard_streams.h"

namespace verbcast {

BenchProgress::BenchProgress(bool quiet) : shown_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

BenchProgress::~BenchProgress() {
    clear();
}

void BenchProgress::step(std::size_t index, std::size_t count, const std::string& text) {
    if (shown_) {
        printToStderr("\r\033[K[{}/{}] {}", index, count, text);
        dirty_ = true;
    }
}

void BenchProgress::clear() {
    if (dirty_) {
        writeToStderr("\r\033[K");
        dirty_ = false;
    }
}

}  // namespace verbcast
