#include "core/base/text/nearest_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before, last, row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = std::exchange(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
    }
    return row[b.size()];
}

}  // namespace

std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t kMaxLetters = 64;  // longer ones are no typo
    std::string nearest;
    std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        if (word.size() > kMaxLetters || candidate.size() > kMaxLetters) {
            continue;
        }
        if (const std::size_t steps = distance(word, candidate); steps < least) {
            least = steps;
            nearest = candidate;
        }
    }
    return nearest.empty() ? "" : fmt::format("did you mean {}?", nearest);
}

}  // namespace verbcast
