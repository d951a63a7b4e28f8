#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/reference/documents.h"

namespace verbcast {
namespace {

std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' || c == '\\' ? std::string("\\") + c
                  : c == '\n'            ? std::string(" ")
                                         : std::string(1, c);
    }
    return result + "'";
}

/// Values and files; -F: files too, -f: no files, -r: a value must follow.
std::string valueOf(const Option& value, bool optional) {
    std::string text = value.isFile ? " -F" : " -f";
    text += optional ? "" : " -r";
    if (!value.words.empty()) {
        text += " -a " + quoted(fmt::format("{}", fmt::join(value.words, " ")));
    }
    return text;
}

void addCommand(const Command& command, std::string& text) {
    const std::string here = fmt::format("complete -c verbcast -n '__verbcast_at \"{}\"'", pathOf(command));
    for (const Command* each : command.listed()) {
        text += fmt::format("{} -a {} -d {}\n", here, each->name(), quoted(each->summary()));
    }
    if (command.takesProgram) {
        text += here + " -a '(__fish_complete_command)'\n";
    }
    for (const BoundOption* bound : command.shownOptions()) {
        const Option& option = bound->option;
        std::string names;
        for (const std::string& name : option.flags()) {
            names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        if (!option.argument().empty() && (option.isFile || !option.words.empty())) {
            text += here + valueOf(option, true) + "\n";
        }
        if (!names.empty()) {
            const bool takesNothing = bound->takes == BoundOption::Takes::Nothing;
            text += here + names + (takesNothing ? "" : valueOf(option, option.valueOptional())) + " -d " +
                    quoted(option.help) + "\n";
        }
    }
    for (const Command* each : command.listed()) {
        addCommand(*each, text);
    }
}

}  // namespace

std::string fishCompletion(const Command& verbcast) {
    std::string paths;
    for (const Command* command : verbcast.all()) {
        paths += command == &verbcast ? "" : " " + quoted(pathOf(*command));
    }
    std::string text =
        "# fish completion for verbcast; written from the tables of its options.\n"
        "function __verbcast_at -d 'Whether this command is being typed'\n    set -l path ''\n"
        "    for word in (commandline -opc)[2..-1]\n        if contains -- \"$path $word\"" +
        paths +
        "\n            set path \"$path $word\"\n        end\n    end\n    test \"$path\" = $argv[1]\nend\n\n"
        "complete -c verbcast -f\n";
    addCommand(verbcast, text);
    return text;
}

}  // namespace verbcast
