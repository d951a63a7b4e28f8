// What a rail says in its greeting: which stream it belongs to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace verbcast {

/// Most rails of one stream.
inline constexpr std::uint8_t kMaxRails = 4;
/// The track whose frames are counted for each rail.
inline constexpr std::uint16_t kRailStatsTrack = 0;

/// Hello::features of the side that listens: it takes rails.
inline constexpr std::uint64_t kTakesRails = 1U << 16;
/// Hello::features of the side that connects: a RailHello follows in its greeting.
inline constexpr std::uint64_t kIsRail = 1U << 17;
/// Hello::features of a probe that looks for rails, and of the answer, in which addresses follow.
inline constexpr std::uint64_t kFindsRails = 1U << 18;

enum class RailMode : std::uint8_t {
    Double = 1,  ///< every frame over every rail: the first arrival counts
    Stripe = 2,  ///< each frame over one rail, one that is free
};

/// "double" or "stripe".
std::string_view nameOf(RailMode mode);

/// Random; a peer that knows it may join the stream. Sent only in the greeting, which a key encrypts.
using RailStreamId = std::array<std::byte, 16>;
RailStreamId newRailStream();

struct RailHello {
    RailStreamId stream{};
    std::uint8_t index = 0;  ///< of this rail, from 0
    std::uint8_t count = 0;  ///< of all rails, 2 to kMaxRails
    RailMode mode = RailMode::Double;
    static void fields(auto& self, auto& visit) { visit(self.stream, self.index, self.count, self.mode); }
    /// Throws Error{Peer} for an impossible rail.
    void check() const;
    friend bool operator==(const RailHello&, const RailHello&) = default;
};

}  // namespace verbcast
