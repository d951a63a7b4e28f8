#include "app/reference/sections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "app/reference/markdown.h"

namespace verbcast {
namespace {

/// An option, and the commands that have it in these words.
struct Listed {
    std::string head;  ///< "`-t`, `--length TIME`"
    std::string text;  ///< help and default
    std::string_view section;
    std::vector<const Command*> commands;

    bool isSame(const Listed& other) const {
        return head == other.head && text == other.text && section == other.section;
    }
};

std::string headOf(const BoundOption& bound) {
    const Option& option = bound.option;
    const std::vector<std::string> flags = option.flags();
    if (flags.empty()) {
        return fmt::format("`{}{}`", option.argument(),
                           bound.takes == BoundOption::Takes::Several ? "..." : "");
    }
    const std::string value = option.valueName();
    const std::string shown = value.empty() ? "" : option.valueOptional() ? " [" + value + "]" : " " + value;
    return fmt::format("`{}{}`", fmt::join(flags, "`, `"), shown);
}

Listed listed(const BoundOption& bound, const Command& command) {
    std::string text = bound.option.help;
    if (!bound.defaultText.empty() && bound.takes == BoundOption::Takes::One) {
        text += fmt::format(" (default: {})", bound.defaultText);
    }
    return {headOf(bound), text, bound.option.section, {&command}};
}

const Command& topOf(const Command& command) {
    const Command* top = &command;
    while (top->parent() != nullptr && top->parent()->parent() != nullptr) {
        top = top->parent();
    }
    return *top;
}

/// Each option once, in the order in which the commands name them.
std::vector<Listed> allOptions(const Command& verbcast) {
    std::vector<Listed> all;
    for (const Command* command : verbcast.all()) {
        for (const BoundOption& bound : command->options) {
            if (bound.option.hidden) {
                continue;
            }
            Listed one = listed(bound, *command);
            const auto same =
                std::ranges::find_if(all, [&](const Listed& other) { return other.isSame(one); });
            if (same == all.end()) {
                all.push_back(std::move(one));
            } else {
                same->commands.push_back(command);
            }
        }
    }
    return all;
}

/// Whether all commands of a top one, and itself, have the option.
bool isOfAll(const Listed& option, const Command& top) {
    return std::ranges::all_of(top.all(), [&](const Command* each) {
        return each->options.begin() == each->options.end() ||
               std::ranges::find(option.commands, each) != option.commands.end();
    });
}

bool isOfOneTree(const Listed& option) {
    return std::ranges::all_of(option.commands, [&](const Command* each) {
        return &topOf(*each) == &topOf(*option.commands.front());
    });
}

/// " (`send`, `pipe recv`, `bench`)": a command stands for those below it if all of them have the option.
std::string namesOf(const Listed& option) {
    std::vector<std::string> names;
    for (const Command* command : option.commands) {
        const Command& top = topOf(*command);
        const std::string name = isOfAll(option, top) ? top.path() : command->path();
        if (std::ranges::find(names, name.substr(name.find(' ') + 1)) == names.end()) {
            names.push_back(name.substr(name.find(' ') + 1));
        }
    }
    return fmt::format(" (`{}`)", fmt::join(names, "`, `"));
}

/// In the section of `top`: which of its commands; "" for all.
std::string namesBelow(const Listed& option, const Command& top) {
    std::vector<std::string> names;
    for (const Command* command : option.commands) {
        if (command != &top) {
            names.push_back(command->name());
        }
    }
    return names.empty() || isOfAll(option, top) ? "" : fmt::format(" (`{}`)", fmt::join(names, "`, `"));
}

/// A line break in help begins an item below.
std::string item(const Listed& option, const std::string& commands) {
    std::string text;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = option.text.find('\n', begin);
        const std::string line = markdownText(option.text.substr(begin, end - begin));
        text += begin == 0 ? "- " + markdownLines(fmt::format("{}{}: {}", option.head, commands, line), 2)
                           : "\n  - " + markdownLines(line, 4);
    }
    return text + "\n";
}

/// By the headings of help, in the order in which they appear; `names` tells which commands have an option.
template <typename Names>
std::string itemsBySection(const std::vector<Listed>& options, Names names) {
    std::vector<std::pair<std::string_view, std::string>> sections;
    for (const Listed& option : options) {
        auto found = std::ranges::find(sections, option.section, &decltype(sections)::value_type::first);
        if (found == sections.end()) {
            found = sections.insert(option.section.empty() ? sections.begin() : sections.end(),
                                    {option.section, {}});
        }
        found->second += item(option, names(option));
    }
    std::string text;
    for (const auto& [heading, items] : sections) {
        text += heading.empty() ? "\n" + items : fmt::format("\n**{}**\n\n{}", heading, items);
    }
    return text;
}

std::string commandText(const Command& command, const std::vector<Listed>& own) {
    std::string text =
        fmt::format("\n### {}\n\n{}\n", command.path(), markdownLines(markdownText(command.summary()) + "."));
    const Remarks& remarks = command.remarks;
    const Remarks above = command.parent() != nullptr ? command.parent()->remarks : Remarks{};
    if (!remarks.text.empty() && remarks.text != above.text) {
        text += "\n" + markdownLines(markdownText(remarks.text)) + "\n";
    }
    text += itemsBySection(own, [&](const Listed& option) { return namesBelow(option, command); });
    if (!remarks.lists.empty()) {
        text += "\n```text\n" + remarks.lists + "\n```\n";
    }
    if (!remarks.exitCodes.empty() && remarks.exitCodes != above.exitCodes) {
        text += "\n" + markdownLines("Exit codes: " + markdownText(remarks.exitCodes)) + "\n";
    }
    return text;
}

}  // namespace

std::string anchorOf(const Command& command) {
    return command.path("-");
}

std::string optionsSection(const Command& verbcast) {
    std::vector<Listed> shared, others;
    for (Listed& option : allOptions(verbcast)) {
        (isOfOneTree(option) ? others : shared).push_back(std::move(option));
    }
    std::string text = "\n### Options of several commands\n" + itemsBySection(shared, namesOf);
    for (const Command* command : verbcast.all()) {
        std::vector<Listed> own;
        std::ranges::copy_if(others, std::back_inserter(own), [&](const Listed& option) {
            const std::vector<const Command*>& all = option.commands;
            return command == (all.size() == 1 ? all.front() : &topOf(*all.front()));
        });
        text += commandText(*command, own);
    }
    return text;
}

}  // namespace verbcast
