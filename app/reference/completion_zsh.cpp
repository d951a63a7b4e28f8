#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/reference/completion.h"

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
std::string action(const ValueReference& value) {
    std::string text = escaped(value.name, ":") + ":";
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

std::string argumentSpec(const OptionReference& option) {
    std::string value;
    if (!option.value.name.empty()) {
        value = (option.valueOptional ? "::" : ":") + action(option.value);
    }
    std::string text;
    for (const std::string& name : option.names) {
        text += fmt::format(" \\\n        '({}){}[{}]{}'", fmt::join(option.names, " "), name,
                            escaped(option.help, "[]:\\"), value);
    }
    return text;
}

std::string functionName(const CommandReference& command) {
    return "_" + command.joined("_");
}

void addFunction(const CommandReference& command, std::string& text) {
    std::string arguments;
    for (const OptionReference& option : command.options) {
        arguments += argumentSpec(option);
    }
    if (takesProgram(command)) {
        arguments += " \\\n        '(-)1:program: _command_names -e' '*::arguments: _normal'";
    } else if (command.commands.empty()) {
        for (const OptionReference& argument : command.arguments) {
            arguments += fmt::format(" \\\n        '*:{}'", action(argument.value));
        }
    } else {
        arguments += " \\\n        '1: :->command' '*:: :->arguments'";
    }
    text += fmt::format("{}() {{\n    local state line curcontext=$curcontext\n    _arguments -s -S -C{}\n",
                        functionName(command), arguments);
    if (!command.commands.empty()) {
        std::string list, calls;
        for (const CommandReference& each : command.commands) {
            list +=
                fmt::format(" \\\n                '{}:{}'", each.words.back(), escaped(each.summary, ":\\"));
            calls += fmt::format("                {}) {} ;;\n", each.words.back(), functionName(each));
        }
        text += fmt::format(
            "    case $state in\n        command)\n            local -a commands=({})\n"
            "            _describe command commands ;;\n        arguments)\n            case $words[1] "
            "in\n{}            esac ;;\n    esac\n",
            list, calls);
    }
    text += "}\n\n";
    for (const CommandReference& each : command.commands) {
        addFunction(each, text);
    }
}

}  // namespace

std::string zshCompletion(const CommandReference& verbcast) {
    std::string text = "#compdef verbcast\n# Written from the tables of verbcast's options.\n\n";
    addFunction(verbcast, text);
    return text + "_verbcast \"$@\"\n";
}

}  // namespace verbcast
