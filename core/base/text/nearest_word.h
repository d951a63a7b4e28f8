// Guesses what the user may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

/// "did you mean --format?": the candidate closest to the word by letters changed, added, omitted or swapped
/// with their neighbour (optimal string alignment), if those are few for its length; else empty. The first
/// one wins a tie.
std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace verbcast
