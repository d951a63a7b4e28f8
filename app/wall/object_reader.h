// Members of one object of a JSON file that people write by hand.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace verbcast {

/// Takes members out of an object, and tells of those that are missing, wrong or unknown in sentences that
/// begin with where the object is. A member that is wrong is as if it were not there.
class ObjectReader {
  public:
    using Json = nlohmann::json;

    /// Both outlive it. `where`: "displays[2]", or empty for the whole file.
    ObjectReader(const Json& json, std::string where, std::vector<std::string>& findings);

    /// Nothing, and no word of it, where there is none.
    const Json* optional(const char* key);
    const Json* required(const char* key);

    std::optional<std::uint32_t> whole(const char* key, std::uint32_t least, std::uint32_t most,
                                       bool mustBe = true);
    std::optional<double> number(const char* key, double least, double most);
    std::optional<bool> flag(const char* key);
    std::optional<std::string> text(const char* key);
    /// An array of so many numbers.
    std::optional<std::vector<double>> numbers(const char* key, std::size_t count, double least, double most,
                                               bool mustBe = false);

    /// Last: tells of members that nobody has asked for, and what they may have been meant as.
    void refuseOthers();
    /// "displays[2].rectangle"
    std::string pathOf(const std::string& key) const;
    void tell(const std::string& key, const std::string& what);

  private:
    const Json& json_;
    std::string where_;
    std::vector<std::string>& findings_;
    std::vector<std::string> asked_;
};

/// A value as it may be shown: short, on one line.
std::string shown(const nlohmann::json& value);

}  // namespace verbcast
