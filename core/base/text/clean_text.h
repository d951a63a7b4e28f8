// Makes text from peers safe to display.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace verbcast {

inline constexpr std::size_t kMaxPeerTextBytes = 400;

/// Makes text from a peer, a file name or its metadata, a device or another program fit for terminals, logs
/// and windows: one line of valid UTF-8 that contains nothing but what is visible. "?" replaces each invalid
/// byte and each character that controls a terminal (C0, C1, DEL), breaks the line or changes its direction
/// (separators, bidirectional controls), or is invisible (zero width, tags, variation selectors,
/// noncharacters). The result has at most `maxBytes` and is cut between characters.
std::string cleanText(std::string_view text, std::size_t maxBytes = kMaxPeerTextBytes);

/// The same without a length limit, for lines of our own that contain such text.
inline std::string cleanLine(std::string_view line) {
    return cleanText(line, std::string_view::npos);
}

/// Escapes text for HTML and SVG, between tags and in attributes: & < > " ' are escaped, control characters
/// dropped.
std::string escapedXml(std::string_view text);

}  // namespace verbcast
