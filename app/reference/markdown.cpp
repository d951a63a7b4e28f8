#include "app/reference/markdown.h"

#include <sstream>

namespace verbcast {
namespace {

constexpr std::size_t kColumns = 120;

/// Takes the next word; spaces in backticks are part of it.
bool nextWord(std::istringstream& text, std::string& word) {
    if (!(text >> word)) {
        return false;
    }
    const auto isOpen = [&word] {
        std::size_t ticks = 0;
        for (const char c : word) {
            ticks += c == '`' ? 1 : 0;
        }
        return ticks % 2 == 1;
    };
    for (std::string more; isOpen() && text >> more;) {
        word += " " + more;
    }
    return true;
}

}  // namespace

std::string markdownText(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '*' || c == '<' || c == '>' || c == '`' || c == '\\') {
            result += '\\';
        }
        result += c;
    }
    return result;
}

std::string markdownLines(const std::string& text, std::size_t indent) {
    std::string result;
    std::istringstream words(text);
    std::size_t used = indent;
    for (std::string word; nextWord(words, word);) {
        if (!result.empty() && used + 1 + word.size() > kColumns) {
            result += "\n" + std::string(indent, ' ');
            used = indent;
        } else if (!result.empty()) {
            result += ' ';
            ++used;
        }
        result += word;
        used += word.size();
    }
    return result;
}

}  // namespace verbcast
