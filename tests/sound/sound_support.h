// Waiting for sound.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "capture/sound_source.h"
#include "tests/support/patience.h"

namespace verbcast::testing {

/// Waits for a source's next block.
inline CapturedSound nextBlock(SoundSource& source, CapturedSound block = {}) {
    const Deadline deadline = Deadline::in(kPatience);
    while (source.read(block) != Status::Ok) {
        if (!waitReadable({source.waitDescriptor()}, deadline)) {
            throw std::runtime_error("no sound comes from " + source.describe());
        }
    }
    return block;
}

/// Nothing tells of what it asks: looks again and again.
template <typename Done>
bool comesTrue(Done&& done) {
    const Deadline deadline = Deadline::in(kPatience);
    while (!done()) {
        if (deadline.passed()) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

}  // namespace verbcast::testing
