// Calculates the load of many displays on a network; docs/scale.md has the formulas. Nothing is measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbcast {

/// Leaf switches with equally many hosts, all leaves joined by spines. Each display has its own host, and the
/// sender is alone on its leaf.
struct FabricModel {
    double linkGbps = 100;        ///< of each host
    double oversubscription = 1;  ///< ratio of a leaf's total host bandwidth to its uplinks
    std::uint32_t leafHosts = 16;
    double hopUs = 1;          ///< latency of a switch or cable
    double relayUs = 0;        ///< added by a relay, besides sending; 0: none
    std::uint32_t fanOut = 4;  ///< viewers or relays per relay, and per sender
};

struct StreamModel {
    std::uint64_t frameBytes = 0;
    double fps = 60;
    double gbps() const { return static_cast<double>(frameBytes) * 8 * fps * 1e-9; }
};

enum class Spread {
    Unicast,    ///< the sender sends each display its copy
    Tiles,      ///< each display of a wall gets its share of the picture
    Multicast,  ///< one copy; the switches replicate it
    Relays,     ///< a tree of relays
    Incast,     ///< the reverse: that many senders into one display
};

struct ModelRow {
    Spread spread = Spread::Unicast;
    std::uint32_t displays = 1;
    std::uint32_t levels = 0;  ///< of relays
    double busiestShare = 0;   ///< of the busiest link's capacity
    std::string busiest;       ///< "sender's link", "leaf's uplinks", "relay's link", "display's link"
    /// From when the sender starts until the last display has the frame, on an otherwise idle network.
    /// Infinite if a link is overloaded.
    double lastUs = 0;
    std::uint32_t slots = 2;  ///< to keep the path full: one written, one read, and those in flight
    bool holds() const { return busiestShare <= 1; }
};

std::string_view spreadText(Spread spread);

/// Rows for 1, 2, 4, ... and `displays` displays, with each Spread.
std::vector<ModelRow> modelRows(const FabricModel& fabric, const StreamModel& stream, std::uint32_t displays);
inline constexpr std::uint32_t kMaxModelDisplays = 10'000;
/// The largest number of displays that works, up to kMaxModelDisplays; 0: none.
std::uint32_t mostDisplays(const FabricModel& fabric, const StreamModel& stream, Spread spread);

}  // namespace verbcast
