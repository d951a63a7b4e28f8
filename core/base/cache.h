// Fetching memory into the processor's cache before it is needed.
#pragma once

#include <cstddef>

namespace verbcast {

inline constexpr std::size_t kCacheLine = 64;

/// Prefetches the cache lines for writing. Only a hint: it does nothing past the end of the memory or on
/// processors without one.
inline void prefetchForWriting(void* memory, std::size_t bytes) {
    for (std::size_t offset = 0; offset < bytes; offset += kCacheLine) {
        std::byte* line = static_cast<std::byte*>(memory) + offset;
#if defined(__x86_64__)
        // The compiler's choice for a 2003-era processor would fetch the line shared instead.
        asm volatile("prefetchw %0" : : "m"(*line));
#else
        __builtin_prefetch(line, 1);
#endif
    }
}

}  // namespace verbcast
