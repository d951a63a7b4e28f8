// Content that `--verify full` writes into frames and checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/memory/frame_pool.h"

namespace verbcast {

/// Overwrites all of `frame` with the noise of this frame number and returns its XXH3_64bits hash. Hashes the
/// bytes piece by piece while they are still in the first-level caches, so that memory is touched once.
std::uint64_t writeFrame(std::span<std::byte> frame, std::uint64_t number);

/// Reads every byte; returns true if they are those that writeFrame() returned this hash for.
bool frameIsIntact(std::span<const std::byte> frame, std::uint64_t hash);

/// A ring of frames, each page of which is written: those that never were would all be one page of zeros,
/// which stays in every cache. Throws Error{Resource}.
std::shared_ptr<FramePool> touchedRing(std::uint64_t slotBytes, std::uint32_t slots);

}  // namespace verbcast
