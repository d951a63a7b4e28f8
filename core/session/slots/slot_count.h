// How many frames an end of a session may hold, and of how many tracks.
#pragma once

#include <cstdint>
#include <string_view>

namespace verbcast {

/// `slots` as it is given. Throws Error{Usage}, with `name` for it, when it is not from 2 to 64.
std::uint32_t checkedSlots(std::uint32_t slots, std::string_view name = "slots");
/// `tracks` as it is given. Throws Error{Usage} when it is not from 1 to kMaxTracks.
std::uint16_t checkedTracks(std::uint16_t tracks);

}  // namespace verbcast
