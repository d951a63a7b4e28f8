// What somebody may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

/// The candidate that the word becomes by the fewest letters changed, added, left out or swapped with their
/// neighbour (optimal string alignment), if those are few for its length; else empty. Of equals the first.
std::string nearestWord(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean --format?", or nothing.
std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace verbcast
