#include "app/cli/options/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "app/cli/options/glossary.h"

namespace verbcast {
namespace {

constexpr std::size_t kIndent = 26;

std::string shortForm(const Option& option) {
    std::string text = fmt::format("{}", fmt::join(option.flags(), ", "));
    if (text.empty()) {
        return option.argument();
    }
    const std::string value = option.valueName();
    return option.isFlag() && option.argument().empty() ? text
           : option.valueOptional()                     ? fmt::format("{} [{}]", text, value)
                                                        : fmt::format("{} {}", text, value);
}

std::string entry(const BoundOption& bound, std::size_t columns) {
    const std::string head = "  " + shortForm(bound.option);
    std::string help = bound.option.help;
    if (!bound.defaultText.empty() && bound.takes == BoundOption::Takes::One) {
        help += fmt::format(" (default: {})", bound.defaultText);
    }
    const bool fits = head.size() + 2 <= kIndent;
    return head + (fits ? std::string(kIndent - head.size(), ' ') : "\n" + std::string(kIndent, ' ')) +
           wrapped(help, kIndent, columns) + "\n";
}

std::string usage(const Command& command) {
    std::string text = "Usage: " + command.path();
    if (!command.listed().empty()) {
        text += command.needsCommand ? " COMMAND" : " [COMMAND]";
    }
    text += " [OPTIONS]";
    for (const BoundOption* bound : command.shownOptions()) {
        if (const std::string name = bound->option.argument(); !name.empty()) {
            const std::string shown = bound->takes == BoundOption::Takes::Several ? name + "..." : name;
            text += bound->option.required ? " " + shown : " [" + shown + "]";
        }
    }
    return text + (command.takesProgram ? " -- PROGRAM [ARGUMENTS]" : "") + "\n";
}

std::string optionTexts(const Command& command, bool everything, std::size_t columns, bool& left) {
    std::vector<std::pair<std::string_view, std::string>> sections;
    for (const BoundOption* shown : command.shownOptions()) {
        const BoundOption& bound = *shown;
        if (bound.option.further && !everything) {
            left = true;
            continue;
        }
        const std::string_view heading = bound.option.section.empty() ? "Options" : bound.option.section;
        auto found = std::ranges::find(sections, heading, &decltype(sections)::value_type::first);
        if (found == sections.end()) {
            found = sections.insert(found, {heading, {}});
        }
        found->second += entry(bound, columns);
    }
    std::string text;
    for (const auto& [heading, entries] : sections) {
        text += fmt::format("\n{}:\n{}", heading, entries);
    }
    return text;
}

std::string indented(const std::string& lines) {
    std::string text;
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
        text += "  " + line + "\n";
    }
    return text;
}

/// Of the terminal that standard output is; 100 if it is none.
std::size_t helpColumns() {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? std::min<std::size_t>(size.ws_col, 120) : 100;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns) {
    const std::size_t width = std::max<std::size_t>(columns, indent + 30) - indent;
    std::string result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::size_t used = width;
        for (std::string word; words >> word;) {
            if (used + 1 + word.size() > width) {
                result += result.empty() ? "" : "\n" + std::string(indent, ' ');
                used = 0;
            } else {
                result += ' ';
                ++used;
            }
            result += word;
            used += word.size();
        }
    }
    return result;
}

std::string helpText(const Command& command, bool everything) {
    const std::size_t columns = helpColumns();
    const Remarks& remarks = command.remarks;
    std::string text = wrapped(command.summary() + ".", 0, columns) + "\n" + usage(command);
    if (const auto listed = command.listed(); !listed.empty()) {
        text += "\nCommands:\n";
        for (const Command* each : listed) {
            text += fmt::format("  {:<{}}{}\n", each->name(), kIndent - 2,
                                wrapped(each->summary(), kIndent, columns));
        }
    }
    bool left = false;
    text += optionTexts(command, everything, columns, left);
    if (!remarks.text.empty()) {
        text += "\n" + wrapped(remarks.text, 0, columns) + "\n";
    }
    if (!remarks.lists.empty()) {
        text += "\n" + remarks.lists + "\n";
    }
    if (remarks.addresses) {
        text += fmt::format("\n{}\n", wrapped(std::string("Addresses: ") + kAddressHelp, 0, columns));
    }
    if (!remarks.examples.empty()) {
        text += "\nExamples:\n" + indented(remarks.examples);
    }
    if (everything && remarks.frames) {
        for (const char* sentence : {kDroppedHelp, kLostHelp, kSkippedHelp, kPausedHelp}) {
            text +=
                fmt::format("{}{}\n", sentence == kDroppedHelp ? "\n" : "", wrapped(sentence, 0, columns));
        }
    }
    if (everything || !remarks.exitCodes.empty() || command.parent() == nullptr) {
        const std::string codes = remarks.exitCodes.empty() ? kExitCodeHelp : remarks.exitCodes;
        text += fmt::format("\n{}\n", wrapped("Exit codes: " + codes, 0, columns));
    }
    if (left) {
        text +=
            fmt::format("\nMore options: {} --help all. Manual: man {}\n", command.path(), command.path("-"));
    }
    return text;
}

}  // namespace verbcast
