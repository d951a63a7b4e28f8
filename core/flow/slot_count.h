// How many frames one side of a session may hold, and of how many tracks.
#pragma once

#include <cstdint>
#include <string_view>

namespace verbcast {

inline constexpr std::uint32_t kFewestSlots = 2;  ///< one is filled or shown while the other is on its way
inline constexpr std::uint32_t kMostSlots = 64;

/// Returns `slots`. Throws Error{Usage}, which calls it `name`, unless it is kFewestSlots to kMostSlots.
std::uint32_t checkedSlots(std::uint32_t slots, std::string_view name = "slots");
/// Returns `tracks`. Throws Error{Usage} unless it is 1 to kMaxTracks.
std::size_t checkedTracks(std::size_t tracks);

}  // namespace verbcast
