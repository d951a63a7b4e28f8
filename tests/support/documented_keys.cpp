#include "tests/support/documented_keys.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

namespace verbcast::testing {
namespace {

using Keys = std::set<std::string>;

constexpr const char* kPage =
#include "reports_page.inc"
    ;

/// What stands in backticks below the heading, parts of paths apart: in all columns of tables, or the first.
Keys wordsBelow(const std::string& heading, bool firstColumns) {
    static const std::regex kWord("`([^`]*)`");
    Keys words;
    bool within = false;
    std::istringstream page(kPage);
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with('#')) {
            within = line == "## " + heading;
        }
        if (!within || (firstColumns && !line.starts_with('|'))) {
            continue;
        }
        const std::string text = firstColumns ? line.substr(0, line.find('|', 1)) : line;
        for (std::sregex_iterator word(text.begin(), text.end(), kWord), end; word != end; ++word) {
            std::istringstream path((*word)[1].str());
            for (std::string part; std::getline(path, part, '.');) {
                words.insert(part.ends_with("[]") ? part.substr(0, part.size() - 2) : part);
            }
        }
    }
    EXPECT_FALSE(words.empty()) << heading;
    return words;
}

void addKeys(const nlohmann::json& json, Keys& keys) {
    if (json.contains("p999") || json.contains("chosen_by")) {
        return;
    }
    for (const auto& [key, value] : json.items()) {
        if (json.is_object()) {
            keys.insert(key);
        }
        if (value.is_structured()) {
            addKeys(value, keys);
        }
    }
}

void expectAmong(const Keys& words, const Keys& known, const std::string& heading) {
    for (const std::string& word : words) {
        EXPECT_TRUE(known.contains(word)) << word << " (docs/reports.md, " << heading << ")";
    }
}

}  // namespace

void expectDocumented(const nlohmann::json& report, const std::string& heading) {
    Keys keys;
    addKeys(report, keys);
    expectAmong(keys, wordsBelow(heading, false), heading);
}

void expectWhole(const nlohmann::json& report, const std::string& heading) {
    Keys keys;
    addKeys(report, keys);
    expectAmong(wordsBelow(heading, true), keys, heading);
}

void expectRow(const std::string& word, const std::string& heading) {
    expectAmong({word}, wordsBelow(heading, true), heading);
}

}  // namespace verbcast::testing
