#include "app/reference/markdown.h"

#include <algorithm>

#include "app/cli/options/help.h"

namespace verbcast {

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
    constexpr std::size_t kColumns = 120;
    constexpr char kHeld = '\x1f';  // a space in backticks
    std::string held = text;
    bool isCode = false;
    for (char& c : held) {
        isCode = isCode != (c == '`');
        c = c != ' ' && c != '\n' ? c : isCode ? kHeld : ' ';
    }
    held = wrapped(held, indent, kColumns);
    std::ranges::replace(held, kHeld, ' ');
    return held;
}

}  // namespace verbcast
