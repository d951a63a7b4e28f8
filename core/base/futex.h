// Sleeping on a word of memory that processes share. (std::atomic's wait() is for the threads of one
// process.)
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace verbcast {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4);

/// Sleeps while the word has this value, until futexWake(), a signal or the timeout, which is not negative.
/// May also return for no reason: the caller looks again.
void futexWait(const std::atomic<std::uint32_t>& word, std::uint32_t value,
               std::chrono::nanoseconds timeout) noexcept;

/// Wakes all who sleep on the word, in any process.
void futexWake(const std::atomic<std::uint32_t>& word) noexcept;

}  // namespace verbcast
