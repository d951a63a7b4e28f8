#include "app/reference/manual.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <sstream>
#include <utility>

namespace verbcast {
namespace {

/// Escapes text so that troff prints it unchanged: backslashes and leading dots are special, and a hyphen
/// that users may copy must not become a typographic one.
std::string troff(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool lineStarts = i == 0 || text[i - 1] == '\n';
        if (lineStarts && (c == '.' || c == '\'')) {
            result += "\\&";
        }
        switch (c) {
            case '\\':
                result += "\\e";
                break;
            case '-':
                result += "\\-";
                break;
            case '\'':
                result += "\\(aq";
                break;
            case '~':
                result += "\\(ti";
                break;
            case '^':
                result += "\\(ha";
                break;
            default:
                result += c;
        }
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

std::string synopsis(const CommandReference& command) {
    std::string line = bold(command.joined(" "));
    if (!command.options.empty()) {
        line += " [" + italic("OPTIONS") + "]";
    }
    for (const OptionReference& argument : command.arguments) {
        const std::string name = italic(argument.value.name);
        line += argument.required ? " " + name : " [" + name + "]";
    }
    if (!command.commands.empty()) {
        line += " [" + italic("COMMAND") + "]";
    }
    return line;
}

std::string optionEntry(const OptionReference& option) {
    std::string text = ".TP\n";
    for (std::size_t i = 0; i < option.names.size(); ++i) {
        text += (i > 0 ? ", " : "") + bold(option.names[i]);
    }
    if (!option.value.name.empty()) {
        const std::string value = italic(option.value.name);
        text += option.names.empty() ? value : option.valueOptional ? " [" + value + "]" : " " + value;
    }
    text += "\n" + troff(option.help) + "\n";
    if (!option.defaultValue.empty()) {
        text += "(default: " + troff(option.defaultValue) + ")\n";
    }
    return text;
}

/// The text below the options, by the heading that each part begins with.
struct Remarks {
    std::string description, addresses, examples, exitStatus, scenes;
};

Remarks sorted(const std::string& text) {
    Remarks remarks;
    const std::array<std::pair<std::string, std::string*>, 6> headings{{{"Addresses: ", &remarks.addresses},
                                                                        {"Examples:", &remarks.examples},
                                                                        {"Try:  ", &remarks.examples},
                                                                        {"Exit codes: ", &remarks.exitStatus},
                                                                        {"Exit code: ", &remarks.exitStatus},
                                                                        {"Scenes:", &remarks.scenes}}};
    std::string* section = &remarks.description;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        bool headed = false;
        for (const auto& [heading, place] : headings) {
            if (line.starts_with(heading)) {
                section = place;
                line.erase(0, heading.size());
                headed = true;
                break;
            }
        }
        const bool verbatim = section == &remarks.examples || section == &remarks.scenes;
        if (verbatim && !headed && !line.starts_with("  ")) {
            section = &remarks.description;
        }
        const std::size_t begin = line.find_first_not_of(' ');
        if (begin != std::string::npos) {
            *section += line.substr(begin) + "\n";
        }
    }
    return remarks;
}

std::string section(const char* heading, const std::string& text, bool verbatim = false) {
    if (text.empty()) {
        return "";
    }
    const std::string body = troff(text);
    return fmt::format(".SH {}\n{}", heading, verbatim ? ".nf\n" + body + ".fi\n" : body);
}

std::string seeAlso(const CommandReference& command) {
    std::vector<std::string> pages;
    if (command.words.size() > 1) {
        CommandReference parent;
        parent.words.assign(command.words.begin(), command.words.end() - 1);
        pages.push_back(parent.joined("-"));
    }
    for (const CommandReference& each : command.commands) {
        pages.push_back(each.joined("-"));
    }
    std::string text;
    for (const std::string& page : pages) {
        text += fmt::format(".BR {} (1){}\n", troff(page), &page == &pages.back() ? "" : ",");
    }
    return text.empty() ? "" : ".SH SEE ALSO\n" + text;
}

}  // namespace

std::string manualPage(const CommandReference& command, const std::string& version) {
    const std::string name = command.joined("-");
    const Remarks remarks = sorted(command.remarks);
    std::string page = fmt::format(".TH {} 1 \"\" \"verbcast {}\" \"Verbcast Manual\"\n",
                                   troff(upperCase(name)), troff(version));
    page += fmt::format(".SH NAME\n{} \\- {}\n", troff(name), troff(command.summary));
    page += fmt::format(".SH SYNOPSIS\n{}\n", synopsis(command));
    page += ".SH DESCRIPTION\n" + troff(command.summary) + ".\n";
    if (!remarks.description.empty()) {
        page += ".PP\n" + troff(remarks.description);
    }
    if (!command.commands.empty()) {
        page += ".SH COMMANDS\n";
        for (const CommandReference& each : command.commands) {
            page += fmt::format(".TP\n{}\n{}\n", bold(each.words.back()), troff(each.summary));
        }
    }
    page += ".SH OPTIONS\n";
    for (const auto* list : {&command.arguments, &command.options}) {
        for (const OptionReference& option : *list) {
            page += optionEntry(option);
        }
    }
    page += section("SCENES", remarks.scenes, true) + section("ADDRESSES", remarks.addresses) +
            section("EXAMPLES", remarks.examples, true) + section("EXIT STATUS", remarks.exitStatus);
    return page + seeAlso(command);
}

}  // namespace verbcast
