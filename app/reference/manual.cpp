#include "app/reference/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/options/glossary.h"

namespace verbcast {
namespace {

/// Escapes text so that troff prints it unchanged: backslashes and leading dots are special, and a hyphen
/// that users may copy must not become a typographic one.
std::string troff(const std::string& text) {
    constexpr std::pair<char, std::string_view> kSpecial[] = {
        {'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'~', "\\(ti"}, {'^', "\\(ha"}};
    std::string result;
    for (const char c : text) {
        const bool lineStarts = result.empty() || result.back() == '\n';
        if (lineStarts && (c == '.' || c == '\'')) {
            result += "\\&";
        }
        const auto* const special = std::ranges::find(kSpecial, c, &std::pair<char, std::string_view>::first);
        result += special != std::end(kSpecial) ? special->second : std::string_view(&c, 1);
    }
    return result;
}

std::string bold(const std::string& text) {
    return "\\fB" + troff(text) + "\\fR";
}

std::string italic(const std::string& text) {
    return "\\fI" + troff(text) + "\\fR";
}

std::string upperCase(std::string text) {
    for (char& c : text) {
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return text;
}

std::string synopsis(const Command& command) {
    std::string line = bold(command.path());
    if (command.options.begin() != command.options.end()) {
        line += " [" + italic("OPTIONS") + "]";
    }
    for (const BoundOption* bound : command.shownOptions()) {
        if (const std::string name = bound->option.argument(); !name.empty()) {
            line += bound->option.required ? " " + italic(name) : " [" + italic(name) + "]";
        }
    }
    if (!command.listed().empty()) {
        line += " [" + italic("COMMAND") + "]";
    }
    return command.takesProgram ? line + " \\-\\- " + italic("PROGRAM") : line;
}

std::string optionEntry(const BoundOption& bound) {
    const Option& option = bound.option;
    const std::vector<std::string> flags = option.flags();
    std::string text = ".TP\n";
    for (const std::string& flag : flags) {
        text += (&flag == &flags.front() ? "" : ", ") + bold(flag);
    }
    if (flags.empty()) {
        text += italic(option.argument());
    } else if (bound.takes != BoundOption::Takes::Nothing) {
        const std::string value = italic(option.valueName());
        text += option.valueOptional() ? " [" + value + "]" : " " + value;
    }
    text += "\n" + troff(option.help) + "\n";
    if (!bound.defaultText.empty() && bound.takes == BoundOption::Takes::One) {
        text += "(default: " + troff(bound.defaultText) + ")\n";
    }
    return text;
}

std::string heading(const std::string& title, const std::string& text, bool verbatim = false) {
    if (text.empty()) {
        return "";
    }
    const std::string body = troff(text);
    return fmt::format(".SH {}\n{}", title, verbatim ? ".nf\n" + body + ".fi\n" : body);
}

std::string seeAlso(const Command& command) {
    std::vector<std::string> pages;
    if (command.parent() != nullptr) {
        pages.push_back(command.parent()->path("-"));
    }
    for (const Command* each : command.listed()) {
        pages.push_back(each->path("-"));
    }
    std::string text;
    for (const std::string& page : pages) {
        text += fmt::format(".BR {} (1){}\n", troff(page), &page == &pages.back() ? "" : ",");
    }
    return text.empty() ? "" : ".SH SEE ALSO\n" + text;
}

/// By heading, in the order in which they appear.
std::string optionSections(const Command& command) {
    std::vector<std::pair<std::string, std::string>> sections;
    for (const BoundOption* bound : command.shownOptions()) {
        const std::string heading(bound->option.section);
        auto found = std::ranges::find(sections, heading, &std::pair<std::string, std::string>::first);
        if (found == sections.end()) {
            found = sections.insert(found, {heading, {}});
        }
        found->second += optionEntry(*bound);
    }
    std::string text = ".SH OPTIONS\n";
    for (const auto& [heading, entries] : sections) {
        text += heading.empty() ? entries : fmt::format(".SS {}\n{}", troff(heading), entries);
    }
    return text;
}

}  // namespace

std::string manualPage(const Command& command, const std::string& version) {
    const std::string name = command.path("-");
    const Remarks& remarks = command.remarks;
    std::string page = fmt::format(".TH {} 1 \"\" \"verbcast {}\" \"Verbcast Manual\"\n",
                                   troff(upperCase(name)), troff(version));
    page += fmt::format(".SH NAME\n{} \\- {}\n", troff(name), troff(command.summary()));
    page += fmt::format(".SH SYNOPSIS\n{}\n", synopsis(command));
    page += ".SH DESCRIPTION\n" + troff(command.summary()) + ".\n";
    if (!remarks.text.empty()) {
        page += ".PP\n" + troff(remarks.text) + "\n";
    }
    if (const auto commands = command.listed(); !commands.empty()) {
        page += ".SH COMMANDS\n";
        for (const Command* each : commands) {
            page += fmt::format(".TP\n{}\n{}\n", bold(each->name()), troff(each->summary()));
        }
    }
    page += optionSections(command);
    if (!remarks.lists.empty()) {
        const std::size_t line = remarks.lists.find('\n');
        page += heading(upperCase(remarks.lists.substr(0, line - 1)), remarks.lists.substr(line + 1) + "\n",
                        true);
    }
    page += heading("ADDRESSES", remarks.addresses ? std::string(kAddressHelp) + "\n" : "");
    page += heading("EXAMPLES", remarks.examples.empty() ? "" : remarks.examples + "\n", true);
    if (remarks.frames) {
        page += heading("FRAMES",
                        fmt::format("{}\n{}\n{}\n{}\n", kDroppedHelp, kLostHelp, kSkippedHelp, kPausedHelp));
    }
    page += heading("EXIT STATUS",
                    (remarks.exitCodes.empty() ? std::string(kExitCodeHelp) : remarks.exitCodes) + "\n");
    return page + seeAlso(command);
}

}  // namespace verbcast
