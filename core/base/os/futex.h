// Sleeping on a word of memory shared between processes. (std::atomic's wait() only works within one
// process.)
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace verbcast {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4);

/// Sleeps while the word has this value, until futexWake(), a signal or the timeout, which is not negative.
/// May wake spuriously: the caller checks again.
void futexWait(const std::atomic<std::uint32_t>& word, std::uint32_t value,
               std::chrono::nanoseconds timeout) noexcept;

/// Wakes everybody sleeping on the word, in any process.
void futexWake(const std::atomic<std::uint32_t>& word) noexcept;

}  // namespace verbcast
