// Meanings of keys that the program derives from elsewhere: exactly those.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace verbcast {

using Meaning = std::pair<const std::string_view, std::string_view>;  // key and text

/// A key without a meaning and a meaning without a key are errors, so that neither outlives the other.
class Meanings {
  public:
    Meanings(std::string about, std::span<const Meaning> all)
        : about_(std::move(about)), all_(all.begin(), all.end()) {}

    /// Throws std::runtime_error if there is none.
    std::string_view of(const std::string& key);
    /// Throws std::runtime_error naming those that were not asked for.
    void requireAllUsed() const;

  private:
    std::string about_;  // for messages
    std::map<std::string_view, std::string_view> all_;
    std::set<std::string_view> used_;
};

}  // namespace verbcast
