// What `--verify full` writes into frames and how it finds them changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace verbcast {

/// Writes every byte of `frame` anew with the noise of this frame number, and gives XXH3_64bits of all of it.
/// The bytes are hashed piece by piece while they are still in the first caches, so that memory is touched
/// once.
std::uint64_t writeFrame(std::span<std::byte> frame, std::uint64_t number);

/// Reads every byte: true when they are the ones that writeFrame() gave this hash for.
bool frameIsIntact(std::span<const std::byte> frame, std::uint64_t hash);

}  // namespace verbcast
