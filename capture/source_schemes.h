// Sources that are named by a scheme: `verbcast send pattern:zone`. Data only: programs without sources list
// them, too. open_source.cpp opens them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace verbcast {

struct SourceScheme {
    std::string_view name;                  ///< "pattern": alone, or with a colon and what follows
    std::array<std::string_view, 2> paths;  ///< how paths begin that mean it; may be empty
    std::string_view help;                  ///< what to write, for --help
    bool device;                            ///< has memory of its own, where frames may stay (--memory)

    constexpr bool has(std::string_view source) const {
        return source.substr(0, source.find(':')) == name ||
               std::ranges::any_of(
                   paths, [&](std::string_view path) { return !path.empty() && source.starts_with(path); });
    }
    /// What follows the name, or the whole path; may be empty.
    constexpr std::string_view partOf(std::string_view source) const {
        return source.starts_with('/') ? source : source.substr(std::min(source.size(), name.size() + 1));
    }
};

inline constexpr std::array<SourceScheme, 3> kSourceSchemes{
    {{"pattern", {}, "pattern[:bars|gradient|noise|zone|counter|flash]", false},
     {"v4l2", {"/dev/video", "/dev/v4l/"}, "a camera (v4l2[:/dev/videoN])", true},
     {"screen", {}, "screen[:monitor=NAME|window=ID|rect=WxH+X+Y|x11|portal]", true}}};

/// The scheme of a source; null: a media file or standard input.
constexpr const SourceScheme* sourceSchemeOf(std::string_view source) {
    for (const SourceScheme& scheme : kSourceSchemes) {
        if (scheme.has(source)) {
            return &scheme;
        }
    }
    return nullptr;
}

}  // namespace verbcast
