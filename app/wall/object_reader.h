// Reads the members of an object in a JSON file written by hand.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace verbcast {

/// Reads members of an object and reports missing, wrong or unknown ones in sentences that begin with the
/// object's path. Wrong members are treated as missing.
class ObjectReader {
  public:
    using Json = nlohmann::json;

    /// `json` and `findings` must outlive this. `where`: "displays[2]", or empty for the whole file.
    ObjectReader(const Json& json, std::string where, std::vector<std::string>& findings);

    /// Returns null, without a finding, if the member is missing.
    const Json* optional(const char* key);
    const Json* required(const char* key);

    std::optional<std::uint32_t> whole(const char* key, std::uint32_t least, std::uint32_t most,
                                       bool mustBe = true);
    std::optional<double> number(const char* key, double least, double most);
    std::optional<bool> flag(const char* key);
    std::optional<std::string> text(const char* key);
    /// An array of `count` numbers.
    std::optional<std::vector<double>> numbers(const char* key, std::size_t count, double least, double most,
                                               bool mustBe = false);

    /// Call last: reports members that were not read, and what they may have been meant as.
    void refuseOthers();
    /// "displays[2].rectangle"
    std::string pathOf(const std::string& key) const;
    void tell(const std::string& key, const std::string& what);

  private:
    template <typename T, typename Fits>
    std::optional<T> read(const char* key, bool mustBe, Fits&& fits, const std::string& expected);

    const Json& json_;
    std::string where_;
    std::vector<std::string>& findings_;
    std::vector<std::string> asked_;
};

/// A value formatted for a message: short, on one line.
std::string shown(const nlohmann::json& value);

}  // namespace verbcast
