// Text of strangers, as people may see it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace verbcast {

inline constexpr std::size_t kMaxPeerTextBytes = 400;

/// What a peer, a file's name or its metadata, a device or another program says, made fit for terminals, logs
/// and windows: one line of valid UTF-8 in which what is seen is what is there. "?" stands for each broken
/// byte and each character that steers a terminal (C0, C1, DEL), breaks or turns the line (separators,
/// bidirectional controls), or is not seen (zero width, tags, variation selectors, noncharacters). The result
/// has at most `maxBytes` and is cut between characters.
std::string cleanText(std::string_view text, std::size_t maxBytes = kMaxPeerTextBytes);

/// The same of any length, for lines of our own that hold such text.
inline std::string cleanLine(std::string_view line) {
    return cleanText(line, std::string_view::npos);
}

}  // namespace verbcast
