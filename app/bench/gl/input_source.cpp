#include "app/bench/gl/input_source.h"

#include <sys/prctl.h>

#include <random>

namespace verbcast {
namespace {

// Not a multiple of any frame rate: every phase of a frame's time is equally likely.
constexpr TimestampNs kMinWaitNs = 4'000'000, kMaxWaitNs = 29'000'000;

}  // namespace

InputSource::InputSource(FrameReceiver& receiver) : receiver_(receiver), thread_([this] { run(); }) {}

InputSource::~InputSource() {
    stop_.notify();
}

void InputSource::run() {
    ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
    std::minstd_rand random(1);
    std::uniform_int_distribution<TimestampNs> wait(kMinWaitNs, kMaxWaitNs);
    float x = 0;
    while (waitUntil(nowNs() + wait(random), stop_)) {
        x = x < 64 ? x + 1 : 0;
        receiver_.sendInput({.kind = InputKind::PointerMove, .x = x, .y = x});
    }
}

}  // namespace verbcast
