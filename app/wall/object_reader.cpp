#include "app/wall/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text/clean_text.h"
#include "core/base/text/nearest_word.h"

namespace verbcast {
namespace {

bool isBetween(const nlohmann::json& value, double least, double most) {
    return value.is_number() && value.get<double>() >= least && value.get<double>() <= most;
}

}  // namespace

std::string shown(const nlohmann::json& value) {
    constexpr std::size_t kMaxShown = 60;
    if (value.is_structured()) {
        return value.is_array() ? fmt::format("an array of {}", value.size()) : "an object";
    }
    return cleanText(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), kMaxShown);
}

ObjectReader::ObjectReader(const Json& json, std::string where, std::vector<std::string>& findings)
    : json_(json), where_(std::move(where)), findings_(findings) {
    if (!json_.is_object()) {
        findings_.push_back(
            fmt::format("{}: {}, an object expected", where_.empty() ? "the file" : where_, shown(json_)));
    }
}

std::string ObjectReader::pathOf(const std::string& key) const {
    return where_.empty() ? key : where_ + "." + key;
}

void ObjectReader::tell(const std::string& key, const std::string& what) {
    findings_.push_back(fmt::format("{}: {}", pathOf(key), what));
}

const ObjectReader::Json* ObjectReader::optional(const char* key) {
    asked_.emplace_back(key);
    const auto found = json_.find(key);
    return json_.is_object() && found != json_.end() ? &*found : nullptr;
}

const ObjectReader::Json* ObjectReader::required(const char* key) {
    const Json* value = optional(key);
    if (value == nullptr && json_.is_object()) {
        findings_.push_back(fmt::format("{}: \"{}\" is missing", where_.empty() ? "the file" : where_, key));
    }
    return value;
}

template <typename T, typename Fits>
std::optional<T> ObjectReader::read(const char* key, bool mustBe, Fits&& fits, const std::string& expected) {
    const Json* value = mustBe ? required(key) : optional(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (!fits(*value)) {
        tell(key, fmt::format("{}, {} expected", shown(*value), expected));
        return std::nullopt;
    }
    return value->get<T>();
}

std::optional<std::uint32_t> ObjectReader::whole(const char* key, std::uint32_t least, std::uint32_t most,
                                                 bool mustBe) {
    const auto fits = [&](const Json& value) {
        return value.is_number_unsigned() && value.get<std::uint64_t>() >= least &&
               value.get<std::uint64_t>() <= most;
    };
    return read<std::uint32_t>(key, mustBe, fits, fmt::format("a whole number from {} to {}", least, most));
}

std::optional<double> ObjectReader::number(const char* key, double least, double most) {
    return read<double>(
        key, false, [&](const Json& value) { return isBetween(value, least, most); },
        fmt::format("a number from {:g} to {:g}", least, most));
}

std::optional<bool> ObjectReader::flag(const char* key) {
    return read<bool>(
        key, false, [](const Json& value) { return value.is_boolean(); }, "true or false");
}

std::optional<std::string> ObjectReader::text(const char* key) {
    return read<std::string>(
        key, true, [](const Json& value) { return value.is_string(); }, "a text");
}

std::optional<std::vector<double>> ObjectReader::numbers(const char* key, std::size_t count, double least,
                                                         double most, bool mustBe) {
    const Json* value = mustBe ? required(key) : optional(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    const bool fits =
        value->is_array() && value->size() == count &&
        std::ranges::all_of(*value, [&](const Json& each) { return isBetween(each, least, most); });
    if (!fits) {
        tell(key, fmt::format(
                      "{}, an array of {} numbers from {:g} to {:g} expected",
                      value->is_array() && value->size() == count ? "values that do not fit" : shown(*value),
                      count, least, most));
        return std::nullopt;
    }
    return value->get<std::vector<double>>();
}

void ObjectReader::refuseOthers() {
    if (!json_.is_object()) {
        return;
    }
    for (const auto& [key, value] : json_.items()) {
        if (std::ranges::find(asked_, key) == asked_.end()) {
            const std::string guess = didYouMean(key, asked_);
            tell(cleanText(key, 60), "no such member" + (guess.empty() ? "" : "; " + guess));
        }
    }
}

}  // namespace verbcast
