#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "app/reference/completion.h"

namespace verbcast {
namespace {

/// Finds the words of the command, and the option whose value is being completed. Bash splits words at
/// colons, and at "=" in --option=value.
constexpr const char* kBegin = R"(# bash completion for verbcast; written from the tables of its options.
_verbcast() {
    local cur prev words cword command= i values= files=
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n : cur prev words cword
    else
        words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
        cur=${words[cword]} prev=${words[cword - 1]}
    fi
    if [ "$cur" = = ]; then
        cur=
    elif [ "$prev" = = ]; then
        prev=${words[cword - 2]}
    fi
    for ((i = 1; i < cword; ++i)); do
        case "$command ${words[i]}" in
            )";

constexpr const char* kEnd = R"(    esac
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
    if [ -n "$files" ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")
    fi
    if declare -F __ltrim_colon_completions >/dev/null; then
        __ltrim_colon_completions "$cur"
    fi
}
complete -F _verbcast verbcast
)";

std::string offer(const OptionReference& option) {
    std::string text;
    if (!option.value.words.empty()) {
        text += fmt::format(" values=\"{}\"", fmt::join(option.value.words, " "));
    }
    if (option.value.isFile) {
        text += " files=1";
    }
    if (option.valueOptional) {
        text += fmt::format("{} [[ $cur != -* ]] || values=$options", text.empty() ? "" : ";");
    }
    return text;
}

/// After an option with a value, completes only that value. Groups options that have the same values.
std::string valuesOf(const std::vector<const CommandReference*>& commands) {
    std::map<std::string, std::vector<std::string>> placesByOffer;
    for (const CommandReference* command : commands) {
        for (const OptionReference& option : command->options) {
            if (!option.value.name.empty()) {
                for (const std::string& name : option.names) {
                    placesByOffer[offer(option)].push_back(fmt::format("\"{} {}\"", pathOf(*command), name));
                }
            }
        }
    }
    std::string text;
    for (const auto& [offered, places] : placesByOffer) {
        text += fmt::format("        {}){} ;;\n", fmt::join(places, " | "), offered);
    }
    return text;
}

std::string placesOf(const CommandReference& command) {
    std::vector<std::string> words;
    std::string offers;
    for (const CommandReference& each : command.commands) {
        words.push_back(each.words.back());
    }
    bool files = false;
    for (const OptionReference& argument : command.arguments) {
        words.insert(words.end(), argument.value.words.begin(), argument.value.words.end());
        files = files || argument.value.isFile;
    }
    if (words.empty() && !files) {
        return "";
    }
    return fmt::format("                \"{}\") values=\"{}\"{} ;;\n", pathOf(command), fmt::join(words, " "),
                       files ? " files=1" : "");
}

}  // namespace

std::string bashCompletion(const CommandReference& verbcast) {
    std::vector<std::string> paths;
    std::string options, places, programs;
    const auto commands = allOf(verbcast);
    for (const CommandReference* command : commands) {
        std::vector<std::string> names;
        for (const OptionReference& option : command->options) {
            names.insert(names.end(), option.names.begin(), option.names.end());
        }
        options +=
            fmt::format("        \"{}\") options=\"{}\" ;;\n", pathOf(*command), fmt::join(names, " "));
        places += placesOf(*command);
        if (command != &verbcast) {
            paths.push_back(fmt::format("\"{}\"", pathOf(*command)));
        }
        if (takesProgram(*command)) {
            programs = fmt::format(
                "            \"{} --\")\n                compopt -o filenames 2>/dev/null\n"
                "                if ((i + 1 == cword)); then mapfile -t COMPREPLY < <(compgen -c -- "
                "\"$cur\"); else mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); fi\n"
                "                return ;;\n",
                pathOf(*command));
        }
    }
    return kBegin + fmt::format("{}) command+=\" ${{words[i]}}\" ;;\n", fmt::join(paths, " | ")) + programs +
           "        esac\n    done\n    local options=\n    case \"$command\" in\n" + options +
           "    esac\n    case \"$command $prev\" in\n" + valuesOf(commands) +
           "        *)\n            if [[ $cur == -* ]]; then\n                values=$options\n            "
           "else\n"
           "                case \"$command\" in\n" +
           places + "                esac\n            fi ;;\n" + kEnd;
}

}  // namespace verbcast
