#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/reference/documents.h"

namespace verbcast {
namespace {

/// Escapes text for single quotes; `special`: characters with a meaning to _arguments or _describe.
std::string escaped(const std::string& text, const char* special) {
    std::string result;
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
        } else if (c == '\n') {
            result += ' ';
        } else {
            result += std::string_view(special).find(c) == std::string_view::npos ? std::string(1, c)
                                                                                  : std::string("\\") + c;
        }
    }
    return result;
}

/// "name:completion"
std::string action(const Option& value) {
    std::string text = escaped(value.valueName(), ":") + ":";
    if (value.words.empty()) {
        return text + (value.isFile ? "_files" : "");
    }
    std::vector<std::string> words;
    for (const std::string& word : value.words) {
        words.push_back(escaped(word, ":"));
    }
    const std::string list = fmt::format("{}", fmt::join(words, " "));
    return value.isFile ? fmt::format("{}{{ _files; compadd -- {} }}", text, fmt::join(value.words, " "))
                        : fmt::format("{}({})", text, list);
}

std::string argumentSpec(const BoundOption& bound) {
    const Option& option = bound.option;
    std::string value;
    if (bound.takes != BoundOption::Takes::Nothing) {
        value = (option.valueOptional() ? "::" : ":") + action(option);
    }
    const std::vector<std::string> flags = option.flags();
    std::string text;
    for (const std::string& name : flags) {
        text += fmt::format(" \\\n        '({}){}[{}]{}'", fmt::join(flags, " "), name,
                            escaped(option.help, "[]:\\"), value);
    }
    return text;
}

std::string functionName(const Command& command) {
    return "_" + command.path("_");
}

void addFunction(const Command& command, std::string& text) {
    std::string arguments;
    for (const BoundOption* bound : command.shownOptions()) {
        arguments += argumentSpec(*bound);
    }
    const std::vector<const Command*> commands = command.listed();
    if (command.takesProgram) {
        arguments += " \\\n        '(-)1:program: _command_names -e' '*::arguments: _normal'";
    } else if (commands.empty()) {
        for (const BoundOption* bound : command.shownOptions()) {
            if (!bound->option.argument().empty()) {
                arguments += fmt::format(" \\\n        '*:{}'", action(bound->option));
            }
        }
    } else {
        arguments += " \\\n        '1: :->command' '*:: :->arguments'";
    }
    text += fmt::format("{}() {{\n    local state line curcontext=$curcontext\n    _arguments -s -S -C{}\n",
                        functionName(command), arguments);
    if (!commands.empty()) {
        std::string list, calls;
        for (const Command* each : commands) {
            list +=
                fmt::format(" \\\n                '{}:{}'", each->name(), escaped(each->summary(), ":\\"));
            calls += fmt::format("                {}) {} ;;\n", each->name(), functionName(*each));
        }
        text += fmt::format(
            "    case $state in\n        command)\n            local -a commands=({})\n"
            "            _describe command commands ;;\n        arguments)\n            case $words[1] "
            "in\n{}            esac ;;\n    esac\n",
            list, calls);
    }
    text += "}\n\n";
    for (const Command* each : commands) {
        addFunction(*each, text);
    }
}

}  // namespace

std::string zshCompletion(const Command& verbcast) {
    std::string text = "#compdef verbcast\n# Written from the tables of verbcast's options.\n\n";
    addFunction(verbcast, text);
    return text + "_verbcast \"$@\"\n";
}

}  // namespace verbcast
