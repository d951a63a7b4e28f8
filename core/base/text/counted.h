// Counts with their nouns, for messages.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace verbcast {

/// "1 frame", "2 frames". `several`: the plural if it is not formed with an s ("measurements are").
template <std::integral Count>
std::string counted(Count count, std::string_view one, std::string_view several = {}) {
    return count == 1        ? fmt::format("1 {}", one)
           : several.empty() ? fmt::format("{} {}s", count, one)
                             : fmt::format("{} {}", count, several);
}

}  // namespace verbcast
