// Looking again instead of sleeping.
#pragma once

#include "core/base/clock.h"

namespace verbcast {

/// After work, look again for this long before sleeping: a sleep and its wake-up cost about 10 us of a core,
/// so a spin of that order never wastes more than it can save.
inline constexpr TimestampNs kSpin = 20'000;

/// Tells the processor that this is a spin loop.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace verbcast
