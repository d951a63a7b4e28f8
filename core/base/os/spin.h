// Polling instead of sleeping.
#pragma once

#include <thread>

#include "core/base/os/clock.h"
#include "core/base/os/event.h"

namespace verbcast {

/// After work, poll for this long before sleeping: a sleep and its wake-up cost about 10 us of a core, so a
/// spin of that order never wastes more than it can save.
inline constexpr TimestampNs kSpin = 20'000;

/// Tells the processor that this is a spin loop.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// One iteration of a loop that spins for long. It yields from time to time: polling threads may outnumber
/// the processors, and the one with work to do must get its turn.
class Spinner {
  public:
    void turn() {
        relax();
        if (++turns_ % kTurnsBeforeYield == 0) {
            std::this_thread::yield();
        }
    }

  private:
    static constexpr unsigned kTurnsBeforeYield = 32;  // some microseconds: far longer than the call takes
    unsigned turns_ = 0;
};

/// Like waitUntil(), but busy: calls work() again and again. Its thread resumes exactly on time and with warm
/// caches, at the price of a processor.
template <typename Work>
bool spinUntil(TimestampNs due, const Event& cancel, Work&& work) {
    constexpr TimestampNs kCancelInterval = 1'000'000;  // checking an event is a system call
    Spinner spinner;
    TimestampNs nextLook = 0;
    for (TimestampNs now = nowNs(); now < due; now = nowNs()) {
        if (now >= nextLook) {
            nextLook = now + kCancelInterval;
            if (cancel.isSet()) {
                return false;
            }
        }
        work();
        spinner.turn();
    }
    return true;
}

}  // namespace verbcast
