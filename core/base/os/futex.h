// Sleeping on a word of memory shared between processes. (std::atomic's wait() only works within one
// process.)
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

namespace verbcast {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4);

/// Sleeps while the word has this value, until futexWake(), a signal or the timeout, which is not negative.
/// May wake spuriously: the caller checks again.
inline void futexWait(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                      std::chrono::nanoseconds timeout) noexcept {
    timespec limit{};
    limit.tv_sec = static_cast<time_t>(timeout.count() / 1'000'000'000);
    limit.tv_nsec = static_cast<long>(timeout.count() % 1'000'000'000);
    ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

/// Wakes everybody sleeping on the word, in any process.
inline void futexWake(const std::atomic<std::uint32_t>& word) noexcept {
    ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace verbcast
