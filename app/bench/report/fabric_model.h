// What many displays ask of a network, by arithmetic: docs/scale.md has the formulas. Nothing is measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbcast {

/// Leaf switches with as many hosts each, all leaves joined by spines. Each display has a host of its own,
/// and the sender is alone on its leaf.
struct FabricModel {
    double linkGbps = 100;        ///< of each host
    double oversubscription = 1;  ///< what a leaf's hosts may ask together, in times of its uplinks
    std::uint32_t leafHosts = 16;
    double hopUs = 1;          ///< of a switch or a cable
    double relayUs = 0;        ///< of a relay, besides sending: 0 for none
    std::uint32_t fanOut = 4;  ///< viewers or relays behind each relay, and behind the sender
};

struct StreamModel {
    std::uint64_t frameBytes = 0;
    double fps = 60;
    double gbps() const { return static_cast<double>(frameBytes) * 8 * fps * 1e-9; }
};

enum class Spread {
    Unicast,    ///< the sender writes each display's copy
    Tiles,      ///< of a wall: each display gets its share of the picture
    Multicast,  ///< one copy; switches copy it
    Relays,     ///< a tree of relays
    Incast,     ///< the other way round: as many senders into one display
};

struct ModelRow {
    Spread spread = Spread::Unicast;
    std::uint32_t displays = 1;
    std::uint32_t levels = 0;  ///< of relays
    double busiestShare = 0;   ///< of the link that carries most, of what it can
    std::string busiest;       ///< "sender's link", "leaf's uplinks", "relay's link", "display's link"
    /// From the moment the sender begins to the moment the last display has a frame, with nothing else on the
    /// way. Infinite where a link is asked for more than it carries.
    double lastUs = 0;
    std::uint32_t slots = 2;  ///< that keep the way full: one is written, one is read, and those on the way
    bool holds() const { return busiestShare <= 1; }
};

std::string_view spreadText(Spread spread);

/// Rows for 1, 2, 4, ... and `displays` displays, in each way.
std::vector<ModelRow> modelRows(const FabricModel& fabric, const StreamModel& stream, std::uint32_t displays);
inline constexpr std::uint32_t kMostDisplays = 10'000;
/// The most displays that hold, up to kMostDisplays; 0: not even one.
std::uint32_t mostDisplays(const FabricModel& fabric, const StreamModel& stream, Spread spread);

}  // namespace verbcast
