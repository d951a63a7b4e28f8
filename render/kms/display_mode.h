// Modes of displays and connectors of graphics cards, and the choice among them. Touches no card.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace verbcast {

struct DisplayMode {
    std::uint32_t width = 0, height = 0;
    std::uint32_t milliHertz = 0;  ///< pictures per thousand seconds
    bool preferred = false;        ///< by the display
    bool interlaced = false;

    /// "1920x1080@59.94", with a final i if interlaced.
    std::string text() const;
    friend bool operator==(const DisplayMode&, const DisplayMode&) = default;
};

/// "1920x1080" or "1920x1080@60".
struct ModeWish {
    std::uint32_t width = 0, height = 0;
    std::optional<std::uint32_t> milliHertz{};  ///< the nearest rate within half a hertz; unset: the fastest

    std::string text() const;
    friend bool operator==(const ModeWish&, const ModeWish&) = default;
};

struct DisplayConnector {
    std::string name;  ///< the kernel's name: "HDMI-A-1"
    bool connected = false;
    std::vector<DisplayMode> modes;
};

struct DisplayCard {
    std::string path;    ///< "/dev/dri/card0"
    std::string driver;  ///< "i915"; "" if it cannot be opened
    std::vector<DisplayConnector> connectors;
    std::string problem;  ///< why nothing can be shown there, or ""
    std::string remedy;   ///< the problem's remedy
};

/// Connectors of one card.
struct ConnectorChoice {
    std::string card;
    std::vector<std::string> connectors;
};

/// Index of the wanted mode, or else of the one that the display prefers (or its largest, then its fastest).
/// Throws Error{Usage}, naming the connector and its modes, if there is none.
std::size_t chooseMode(const std::vector<DisplayMode>& modes, const std::optional<ModeWish>& wish,
                       const std::string& connector);

/// Finds the connectors with these names, "HDMI-A-1" or with the card as in "card1-HDMI-A-1", whether or not
/// a display is plugged in; without names the first connector with a display. Throws Error{Usage} that lists
/// all connectors if a name is unknown, ambiguous or given twice, or they are on several cards;
/// Error{Display} if there is no card or no display, or it cannot be used.
ConnectorChoice chooseConnectors(const std::vector<std::string>& names,
                                 const std::vector<DisplayCard>& cards);

/// "card0-HDMI-A-1: 1920x1080@60 (preferred), 1280x720@60; card0-DP-1: no display", without duplicate modes.
std::string connectorText(const std::string& card, const DisplayConnector& connector);

}  // namespace verbcast
