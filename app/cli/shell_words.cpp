#include "app/cli/shell_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/error.h"

namespace verbcast {
namespace {

bool isPlain(char c) {
    constexpr std::string_view kPlain = "-_./:,=+@%";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kPlain.find(c) != std::string_view::npos;
}

/// Characters that a backslash escapes within double quotes.
bool isEscapedInQuotes(char c) {
    return c == '"' || c == '\\' || c == '$' || c == '`';
}

/// Appends the quoted text that starts at `at` and returns the position after the closing quote.
std::size_t takeQuoted(std::string_view line, std::size_t at, std::string& word) {
    const char quote = line[at++];
    for (; at < line.size() && line[at] != quote; ++at) {
        if (quote == '"' && line[at] == '\\' && at + 1 < line.size() && isEscapedInQuotes(line[at + 1])) {
            ++at;
        }
        word += line[at];
    }
    if (at >= line.size()) {
        throw Error(ErrorKind::Usage, fmt::format("{}: a quote ({}) is not closed", line, quote),
                    "close it, or put a backslash before it");
    }
    return at + 1;
}

template <typename Quote>
std::string joined(const std::vector<std::string>& words, Quote quote) {
    std::string line;
    for (const std::string& word : words) {
        line += (line.empty() ? "" : " ") + quote(word);
    }
    return line;
}

}  // namespace

std::string shellQuoted(std::string_view word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), isPlain)) {
        return std::string(word);
    }
    std::string text = "'";
    for (const char c : word) {
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return text + "'";
}

std::string shellQuoted(const std::vector<std::string>& words) {
    return joined(words, [](const std::string& word) { return shellQuoted(word); });
}

std::string shellQuotedFromHome(const std::vector<std::string>& words) {
    const char* variable = std::getenv("HOME");
    const std::string home = std::string(variable != nullptr ? variable : "") + "/";
    return joined(words, [&](const std::string& word) {
        const bool within = home.size() > 1 && word.size() > home.size() && word.starts_with(home);
        return within ? "~/" + shellQuoted(std::string_view(word).substr(home.size())) : shellQuoted(word);
    });
}

std::vector<std::string> shellWords(std::string_view line) {
    constexpr std::string_view kSpaces = " \t\n";
    std::vector<std::string> words;
    for (std::size_t at = line.find_first_not_of(kSpaces); at < line.size();
         at = line.find_first_not_of(kSpaces, at)) {
        std::string word;
        while (at < line.size() && kSpaces.find(line[at]) == std::string_view::npos) {
            if (line[at] == '\'' || line[at] == '"') {
                at = takeQuoted(line, at, word);
            } else {
                at += line[at] == '\\' && at + 1 < line.size() ? 1 : 0;
                word += line[at++];
            }
        }
        words.push_back(word);
    }
    return words;
}

}  // namespace verbcast
